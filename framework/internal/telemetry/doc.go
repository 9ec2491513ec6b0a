// Package telemetry makes the spans and metrics of a queue: what is sent, what is
// processed, how late it was, and what became of it.
//
// It knows the OpenTelemetry API only; without an SDK it costs next to nothing.
// All names are in attrs.go and metrics.go; they follow the semantic conventions 1.43.0
// (messaging, still in development there), with messaging.system "redisson"
// and names of our own below messaging.redisson.
//
// A delayed message makes two spans: "send Q" (PRODUCER) around the offer and
// "process Q" (CONSUMER) around each run of the handler. The latter is a new root
// with a link to the former, because a trace that stays open for days is cut by
// every backend; within a queue's ChildWithin it is a child. The context
// crosses the delay as the 25 bytes of [Creation].
//
// Attributes that name the operation are set at the start, where samplers see
// them. What costs something (the digest above all) is added only to spans that
// record.
package telemetry
