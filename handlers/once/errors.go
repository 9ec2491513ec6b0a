package once

import (
	"fmt"
	"time"

	"github.com/duequeue/duequeue/handlers/sqldb"
)

// SchemaError says that the table of records cannot be used: it is missing, or not as
// [Schema] creates it, or may not be written, or the database did not answer.
type SchemaError struct {
	Dialect sqldb.Dialect
	Table   string
	Err     error // what the database answered
}

// Error says what to do.
func (e *SchemaError) Error() string {
	return fmt.Sprintf("table %s of handled messages cannot be used: %v: does the database answer, was the table created by once.Schema(%#v, %q), and may this user read, insert and delete there?",
		e.Table, e.Err, e.Dialect, e.Table)
}

// Unwrap returns what the database answered.
func (e *SchemaError) Unwrap() error { return e.Err }

// ErrorType returns "once_schema", the low-cardinality name used in telemetry.
func (e *SchemaError) ErrorType() string { return "once_schema" }

// KeepError says that records would be deleted before the last retry of their message.
type KeepError struct {
	Code          string
	Keep, Longest time.Duration // what is kept, and the longest time until a message comes again
}

// Error says how long to keep them.
func (e *KeepError) Error() string {
	return fmt.Sprintf("queue %q: records are kept for %v, but a message may come again after %v: give once.Keep a longer time", e.Code, e.Keep, e.Longest)
}

// ErrorType returns "once_keep", the low-cardinality name used in telemetry.
func (e *KeepError) ErrorType() string { return "once_keep" }

// KeyError says that the key of a message cannot be used. The message goes to the dead
// store, since its key would be the same again.
type KeyError struct {
	Code, Key, Reason string
}

// Error says what a key may be.
func (e *KeyError) Error() string {
	return fmt.Sprintf("queue %q: the key %.80q of the message %s: give 1 to %d bytes of UTF-8 without zero bytes", e.Code, e.Key, e.Reason, MaxKey)
}

// Permanent reports true: see [handlers.Permanent].
func (e *KeyError) Permanent() bool { return true }

// ErrorType returns "once_key", the low-cardinality name used in telemetry.
func (e *KeyError) ErrorType() string { return "once_key" }

// DatabaseError says that the database refused a step, so that nothing of the message was
// committed, or that it is not known whether it was (Step "commit"). The message is retried
// without a charge, and the record tells whether it was done.
type DatabaseError struct {
	Code string // of the queue
	Step string // "begin", "record", "withdraw", "commit" or "purge"
	Err  error  // what the database answered
}

// Error says which step failed.
func (e *DatabaseError) Error() string {
	return fmt.Sprintf("queue %q: the transaction of the handler failed to %s: %v", e.Code, e.Step, e.Err)
}

// Unwrap returns what the database answered.
func (e *DatabaseError) Unwrap() error { return e.Err }

// Transient reports true: see [handlers.Transient].
func (e *DatabaseError) Transient() bool { return true }

// ErrorType returns "once_database", the low-cardinality name used in telemetry.
func (e *DatabaseError) ErrorType() string { return "once_database" }

// EndedError says that the handler returned nil after it had committed or rolled back the
// transaction by itself. It is a mistake of the program. The message is retried; if the
// handler has committed, its record is found then.
type EndedError struct{ Code string }

// Error says what to change.
func (e *EndedError) Error() string {
	return fmt.Sprintf("queue %q: the handler ended the transaction of once.Tx by itself: return nil to commit, an error to roll back", e.Code)
}

// ErrorType returns "once_ended", the low-cardinality name used in telemetry.
func (e *EndedError) ErrorType() string { return "once_ended" }
