package outbox

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/duequeue/duequeue/handlers/sqldb"
)

// SchemaError says that the table of rows cannot be used: it is missing, or not as [Schema]
// creates it, or may not be written, or the database did not answer.
type SchemaError struct {
	Dialect sqldb.Dialect
	Table   string
	Err     error // what the database answered
}

// Error says what to do.
func (e *SchemaError) Error() string {
	return fmt.Sprintf("outbox: table %s cannot be used: %v: does the database answer, was the table created by outbox.Schema(%#v, %q), and may this user read, insert, update and delete there?",
		e.Table, e.Err, e.Dialect, e.Table)
}

// Unwrap returns what the database answered.
func (e *SchemaError) Unwrap() error { return e.Err }

// ErrorType returns "outbox_schema", the low-cardinality name used in telemetry.
func (e *SchemaError) ErrorType() string { return "outbox_schema" }

// WriteError says that the database refused the row of an offer. Roll the transaction back.
type WriteError struct {
	Queue, Table string
	Err          error // what the database answered
	// Busy says that SQLite's lock was another connection's until busy_timeout or the context
	// ended, or that the transaction has read before and is too late to write: try it again as a
	// whole, see [sqldb.Dialect.WhileBusy].
	Busy bool
}

// Error gives both.
func (e *WriteError) Error() string {
	if e.Busy {
		return fmt.Sprintf("outbox: the row for queue %q was not written into table %s: %v: another connection holds SQLite's lock for writes: roll back and try the whole transaction again (sqldb.SQLite.WhileBusy), begin it by BEGIN IMMEDIATE (_txlock=immediate in the DSN), and let it wait longer (busy_timeout, the context)",
			e.Queue, e.Table, e.Err)
	}
	return fmt.Sprintf("outbox: the row for queue %q was not written into table %s: %v (Box.Check says whether the table is as it must be)", e.Queue, e.Table, e.Err)
}

// Unwrap returns what the database answered.
func (e *WriteError) Unwrap() error { return e.Err }

// ErrorType returns "outbox_write", the low-cardinality name used in telemetry.
func (e *WriteError) ErrorType() string { return "outbox_write" }

// EndedError says that the transaction of an offer was committed or rolled back before. It is
// a mistake of the program: nothing was offered.
type EndedError struct {
	Queue string
	Err   error // what the driver answered
}

// Error says what to do.
func (e *EndedError) Error() string {
	return fmt.Sprintf("outbox: queue %q: the transaction has ended (%v): offer before the commit", e.Queue, e.Err)
}

// Unwrap returns what the driver answered.
func (e *EndedError) Unwrap() error { return e.Err }

// ErrorType returns "outbox_ended", the low-cardinality name used in telemetry.
func (e *EndedError) ErrorType() string { return "outbox_ended" }

// RelayError says that the database refused a step of a relay, which tries again. Rows that
// were sent and not deleted are sent once more, and add nothing.
type RelayError struct {
	Step string // "begin", "claim", "delete", "set aside", "postpone" or "commit"
	Err  error  // what the database answered
}

// Error says which step failed.
func (e *RelayError) Error() string {
	return fmt.Sprintf("outbox: the database refused to %s: %v", e.Step, e.Err)
}

// Unwrap returns what the database answered.
func (e *RelayError) Unwrap() error { return e.Err }

// ErrorType returns "outbox_relay", the low-cardinality name used in telemetry.
func (e *RelayError) ErrorType() string { return "outbox_relay" }

// failed types what a driver answered to the row of a queue. pgx says that a transaction is
// closed by an error that only pgx knows.
func (tx Tx) failed(ctx context.Context, queue string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, sql.ErrTxDone), err.Error() == "tx is closed":
		return &EndedError{Queue: queue, Err: err}
	default:
		d := tx.box.dialect
		return &WriteError{Queue: queue, Table: tx.box.table, Err: err, Busy: d.Busy(err) || d == sqldb.SQLite && ctx.Err() != nil}
	}
}
