package outbox

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/duequeue/duequeue/handlers/sqldb"
)

// Row is a row that was set aside.
type Row struct {
	ID       int64
	Op       string // offer, cancel or reschedule
	Queue    string // its code
	Key      string // "" for none
	Payload  []byte
	Created  time.Time // by the clock of the database
	Aside    time.Time // when it was set aside
	Attempts int64
	Error    string
}

// Aside returns rows that were set aside, the oldest first: those with an ID above after, at
// most limit. The error is a [*RelayError].
func (b *Box) Aside(ctx context.Context, db *sql.DB, after int64, limit int) ([]Row, error) {
	d := b.dialect
	rows, err := db.QueryContext(ctx, fmt.Sprintf("SELECT id, op, queue, message_key, payload, created_ms, aside_ms, attempts, error FROM %s WHERE aside_ms > 0 AND id > %s ORDER BY id LIMIT %d",
		d.Quote(b.table), d.Marks(1, 1), max(limit, 0)), after)
	if err != nil {
		return nil, &RelayError{Step: "read rows", Err: err}
	}
	var out []Row
	for rows.Next() {
		var r Row
		var key, text []byte
		var created, aside int64
		if err := rows.Scan(&r.ID, &r.Op, &r.Queue, &key, &r.Payload, &created, &aside, &r.Attempts, &text); err != nil {
			return nil, &RelayError{Step: "read rows", Err: errors.Join(err, rows.Close())}
		}
		r.Key, r.Error, r.Created, r.Aside = string(key), string(text), time.UnixMilli(created), time.UnixMilli(aside)
		out = append(out, r)
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return nil, &RelayError{Step: "read rows", Err: err}
	}
	return out, nil
}

// asideFor returns the ids of rows that were set aside longer ago, at most limit.
func (b *Box) asideFor(ctx context.Context, db *sql.DB, age time.Duration, limit int) (ids []int64, err error) {
	d := b.dialect
	rows, err := db.QueryContext(ctx, fmt.Sprintf("SELECT id FROM %s WHERE aside_ms > 0 AND aside_ms < %s - %s ORDER BY id LIMIT %d",
		d.Quote(b.table), b.clock(false), d.Marks(1, 1), limit), age.Milliseconds())
	if err == nil {
		ids, err = sqldb.Column[int64](rows)
	}
	if err != nil {
		return nil, &RelayError{Step: "read rows", Err: err}
	}
	return ids, nil
}

// Retry lets rows that were set aside be sent again, and returns how many there were. The
// error is a [*RelayError].
func (b *Box) Retry(ctx context.Context, db *sql.DB, ids ...int64) (int64, error) {
	return b.change(ctx, db, "UPDATE %s SET aside_ms = 0, retry_ms = 0, attempts = 0 WHERE aside_ms > 0 AND id IN (%s)", ids)
}

// Drop deletes rows that were set aside, and returns how many there were. The error is a
// [*RelayError].
func (b *Box) Drop(ctx context.Context, db *sql.DB, ids ...int64) (int64, error) {
	return b.change(ctx, db, "DELETE FROM %s WHERE aside_ms > 0 AND id IN (%s)", ids)
}

func (b *Box) change(ctx context.Context, db *sql.DB, query string, ids []int64) (int64, error) {
	if len(ids) == 0 {
		return 0, nil
	}
	var done sql.Result
	err := b.dialect.WhileBusy(ctx, func() (err error) {
		done, err = db.ExecContext(ctx, fmt.Sprintf(query, b.dialect.Quote(b.table), b.dialect.Marks(1, len(ids))), sqldb.Args(ids)...)
		return err
	})
	if err != nil {
		return 0, &RelayError{Step: "change rows", Err: err}
	}
	return done.RowsAffected()
}

// mostCounted bounds what State counts.
const mostCounted = 100_000

// State counts the rows. The error is a [*RelayError].
func (b *Box) State(ctx context.Context, db *sql.DB) (State, error) {
	count := func(where string) string {
		return fmt.Sprintf("SELECT COUNT(*) FROM (SELECT 1 AS one FROM %s WHERE %s LIMIT %d) counted", b.dialect.Quote(b.table), where, mostCounted)
	}
	var s State
	var oldest, now int64
	err := db.QueryRowContext(ctx, fmt.Sprintf("SELECT (%s), (%s), COALESCE((SELECT created_ms FROM %s WHERE aside_ms = 0 ORDER BY id LIMIT 1), 0), %s",
		count("aside_ms = 0"), count("aside_ms > 0"), b.dialect.Quote(b.table), b.clock(false))).Scan(&s.Waiting, &s.Aside, &oldest, &now)
	if err != nil {
		return State{}, &RelayError{Step: "count rows", Err: err}
	}
	if oldest > 0 {
		s.Oldest = time.Duration(max(now-oldest, 0)) * time.Millisecond
	}
	return s, nil
}
