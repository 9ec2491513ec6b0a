package telemetry

import (
	"go.opentelemetry.io/otel/attribute"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
)

// ScopeName is the instrumentation scope of all spans and metrics.
const ScopeName = "github.com/duequeue/duequeue"

// SchemaURL pins the version of the semantic conventions.
const SchemaURL = semconv.SchemaURL

// System is the value of messaging.system.
const System = "redisson"

// Names of operations: the first word of a span's name.
const (
	OperationSend    = "send"
	OperationProcess = "process"
	// OperationCancel and OperationReschedule change a pending message.
	OperationCancel     = "cancel"
	OperationReschedule = "reschedule"
)

// Attributes of the semantic conventions.
const (
	AttrSystem        = semconv.MessagingSystemKey            // always "redisson"
	AttrOperationName = semconv.MessagingOperationNameKey     // send, process, cancel, reschedule
	AttrOperationType = semconv.MessagingOperationTypeKey     // send, process
	AttrDestination   = semconv.MessagingDestinationNameKey   // queue code
	AttrMessageID     = semconv.MessagingMessageIDKey         // the message's ID, which Offer returned; absent where unknown
	AttrBodySize      = semconv.MessagingMessageBodySizeKey   // bytes of the payload
	AttrBatchCount    = semconv.MessagingBatchMessageCountKey // messages of a bulk offer that were added, or of a batch that is handled
	AttrErrorType     = semconv.ErrorTypeKey                  // low cardinality, see handlers.ErrorType
	AttrServerAddress = semconv.ServerAddressKey              // host of the Redis, of several servers the first that is configured; absent where it is embedded
	AttrServerPort    = semconv.ServerPortKey
)

// Attributes of our own.
const (
	// AttrDueTime is when the message was due: RFC 3339 in UTC with
	// milliseconds; absent where unknown.
	AttrDueTime = attribute.Key("messaging.redisson.message.due_time")
	// AttrDelayMs is the delay asked for at the offer.
	AttrDelayMs = attribute.Key("messaging.redisson.message.delay_ms")
	// AttrLatenessMs is due → handler start by the clock of Redis; absent where
	// unknown.
	AttrLatenessMs = attribute.Key("messaging.redisson.message.lateness_ms")
	// AttrAttempt is the number of this attempt, from 1.
	AttrAttempt = attribute.Key("messaging.redisson.message.delivery_attempt")
	// AttrRedelivered says that the message had been handed out before.
	AttrRedelivered = attribute.Key("messaging.redisson.message.redelivered")
	// AttrRedriven is how often the message had been put back from the dead store;
	// absent for most.
	AttrRedriven = attribute.Key("messaging.redisson.message.redriven")
	// AttrFirstDeath is when it died for the first time: as AttrDueTime; absent where
	// it never did.
	AttrFirstDeath = attribute.Key("messaging.redisson.message.first_death")
	// AttrDigest is the digest of the payload: of equal payloads the same.
	AttrDigest = attribute.Key("messaging.redisson.message.digest")
	// AttrCodec is the canonical name of the queue's codec.
	AttrCodec = attribute.Key("messaging.redisson.message.codec")
	// AttrOutcome is what became of the message: done, retried, rejected,
	// released; of a batch also mixed, and alone where it failed as a whole and
	// each message runs again by itself.
	AttrOutcome = attribute.Key("messaging.redisson.outcome")
	// AttrReason says why a message went to the dead store or was released, and where one was
	// that was cancelled; why an intake is not open; and the check that has found something.
	AttrReason = attribute.Key("messaging.redisson.reason")
	// AttrState is the word for how a queue stands by a finding; absent from findings of the server.
	AttrState = attribute.Key("messaging.redisson.state")
	// AttrCharged says whether a failed attempt counts towards the limit.
	AttrCharged = attribute.Key("messaging.redisson.charged")
	// AttrRetryDelayMs is the backoff before the next attempt.
	AttrRetryDelayMs = attribute.Key("messaging.redisson.retry.delay_ms")
)

// Span events of a process span.
const (
	EventRetry    = "messaging.redisson.retry"
	EventDead     = "messaging.redisson.dead"
	EventReleased = "messaging.redisson.released"
	// EventException is that of the conventions: a panic, with its stack.
	EventException = "exception"
	// EventCancelled: the attempt failed, and the message had been cancelled meanwhile.
	EventCancelled = "messaging.redisson.cancelled"
)
