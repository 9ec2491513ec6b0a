package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// SQLite has one lock for writes, and none of rows. Who does not get it waits for the time of
// busy_timeout, a setting of each connection, and then gets SQLITE_BUSY.

// sqliteBusy is SQLITE_BUSY; further bits say more of it, as SQLITE_BUSY_SNAPSHOT does.
const sqliteBusy = 5

// Busy reports whether SQLite refused a statement since another connection holds its lock. The
// transaction can be rolled back and tried again as a whole, see [Dialect.WhileBusy]. It is false
// for the other dialects.
func (d Dialect) Busy(err error) bool {
	if d != SQLite || err == nil {
		return false
	}
	var coded interface{ Code() int }
	if errors.As(err, &coded) {
		return coded.Code()&0xff == sqliteBusy
	}
	return strings.Contains(err.Error(), "database is locked") // the text of SQLite in all drivers
}

// Pauses between two tries of WhileBusy.
const (
	busyFirst = time.Millisecond
	busyMost  = 100 * time.Millisecond
)

// WhileBusy calls f, and calls it again while its error is one of [Dialect.Busy] and ctx has not
// ended. f is a whole transaction, from its begin to its commit, and rolls back where it fails.
// Where ctx ends first the error is a [*BusyError]. For the other dialects it calls f once.
func (d Dialect) WhileBusy(ctx context.Context, f func() error) error {
	if d != SQLite || ctx.Err() != nil {
		return f()
	}
	for pause := busyFirst; ; pause = min(2*pause, busyMost) {
		err := f()
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return &BusyError{Err: errors.Join(context.Cause(ctx), err)}
		case !d.Busy(err):
			return err
		}
		timer := time.NewTimer(pause/2 + rand.N(pause))
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return &BusyError{Err: errors.Join(context.Cause(ctx), err)}
		}
	}
}

// BusyError says that the context ended before SQLite let a transaction write.
type BusyError struct {
	Err error // why the context ended, and what SQLite answered last
}

// Error says what to do.
func (e *BusyError) Error() string {
	return fmt.Sprintf("SQLite did not get to this transaction before its context ended (%v): another connection holds the lock for writes: give the context more time, or find the transaction that takes so long",
		strings.ReplaceAll(e.Err.Error(), "\n", ": "))
}

// Unwrap returns why the context ended, and what SQLite answered last.
func (e *BusyError) Unwrap() error { return e.Err }

// ErrorType returns "sql_busy", the low-cardinality name used in telemetry.
func (e *BusyError) ErrorType() string { return "sql_busy" }

// CheckPool looks whether the connections of an SQLite pool wait for the lock: of a pool without
// a limit it asks two, since a PRAGMA that was executed by hand holds for one connection alone.
// The error is a [*BusyTimeoutError], or what the database answered. It is nil for the other
// dialects.
func (d Dialect) CheckPool(ctx context.Context, db *sql.DB) error {
	if d != SQLite {
		return nil
	}
	asked := 1
	if db.Stats().MaxOpenConnections == 0 {
		asked = 2
	}
	for range asked {
		conn, err := db.Conn(ctx)
		if err != nil {
			return err
		}
		defer func() { _ = conn.Close() }() // after the last one: the next one is another connection
		var ms int64
		if err := conn.QueryRowContext(ctx, "PRAGMA busy_timeout").Scan(&ms); err != nil {
			return err
		}
		if ms == 0 {
			return &BusyTimeoutError{}
		}
	}
	return nil
}

// BusyTimeoutError says that a connection of an SQLite pool does not wait for the lock.
type BusyTimeoutError struct{}

// Error says what belongs in the DSN.
func (e *BusyTimeoutError) Error() string {
	return "PRAGMA busy_timeout is 0 on a connection to SQLite, so writes fail at once with SQLITE_BUSY while another connection writes: " +
		"let the DSN set it for every connection: _pragma=busy_timeout(20000) for modernc.org/sqlite, _busy_timeout=20000 for github.com/mattn/go-sqlite3"
}

// ErrorType returns "sql_busy_timeout", the low-cardinality name used in telemetry.
func (e *BusyTimeoutError) ErrorType() string { return "sql_busy_timeout" }
