package once

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/handlers/sqldb"
	"github.com/duequeue/duequeue/registry"
)

// Inbox makes the handler of one queue act once for each key. Make it with [In]. It is safe
// for concurrent use, and has no goroutines: nothing is to be closed.
type Inbox[T any] struct {
	keys    keys[T]
	db      *sql.DB
	dialect sqldb.Dialect
	settings
	purged purges
}

// In returns an inbox for the queue q that keeps its records in db. It reads, writes and
// deletes in the table of records within a transaction that it rolls back. The mistakes of
// all arguments come together: a [*sqldb.TableError], a [*KeepError] against the policy of q, or a
// [*SchemaError] when the table cannot be used. With SQLite it is a [*sqldb.BusyTimeoutError] where
// connections do not wait for its lock, and a [*sqldb.BusyError] where ctx ends before it is free.
// db stays the caller's.
func In[T any](ctx context.Context, db *sql.DB, d sqldb.Dialect, q *registry.Queue[T], key Key[T], opts ...Option) (*Inbox[T], error) {
	named, s, errs := prepare(q, key, opts)
	if db == nil {
		errs = append(errs, errors.New("db is nil"))
	}
	if err := d.Check(); err != nil {
		errs = append(errs, err)
	}
	in := &Inbox[T]{keys: named, db: db, dialect: d, settings: s}
	if len(errs) == 0 {
		err := d.WhileBusy(ctx, func() error {
			if err := d.CheckPool(ctx, db); err != nil {
				return err
			}
			return in.try(ctx)
		})
		switch {
		case err == nil:
		case errors.As(err, new(*sqldb.BusyError)), errors.As(err, new(*sqldb.BusyTimeoutError)):
			errs = append(errs, fmt.Errorf("table %s: %w", s.table, err))
		default:
			errs = append(errs, &SchemaError{Dialect: d, Table: s.table, Err: err})
		}
	}
	if len(errs) > 0 {
		return nil, fmt.Errorf("once.In: %w", errors.Join(errs...))
	}
	return in, nil
}

// longestWait returns after how long a message whose transaction was committed may come
// again by itself: its handler was given up on meanwhile, so it waits for its retry, and is
// in flight for a while at both ends.
func longestWait(p registry.Policy) time.Duration {
	const attempts = 64 // schedules have reached their limit by then
	longest := time.Duration(0)
	for attempt := 1; attempt <= min(p.MaxAttempts, attempts); attempt++ {
		longest = max(longest, p.RetryDelay(attempt))
	}
	const inFlight = time.Hour
	return min(2*longest, handlers.MaxRetryDelay) + inFlight + p.Timeout + p.Grace
}

// try does what the middleware will do, and undoes it.
func (in *Inbox[T]) try(ctx context.Context) (err error) {
	tx, err := in.db.BeginTx(ctx, in.begin)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	probe := []string{"duequeue-probe-" + rand.Text()}
	if _, err = in.record(ctx, tx, probe); err != nil {
		return err
	}
	rows, err := tx.QueryContext(ctx, known(in.dialect, in.table, 1), in.keys.code, "", probe[0])
	if err != nil {
		return err
	}
	if err = errors.Join(rows.Err(), rows.Close()); err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, withdraw(in.dialect, in.table, 1), in.keys.code, probe[0])
	return err
}

// Middleware runs the handler in a transaction that also records the key of the message; its
// errors are a [*KeyError], a [*DatabaseError], a [*EndedError] or the handler's. For
// framework.Use.
func (in *Inbox[T]) Middleware() handlers.Middleware {
	return func(next handlers.Next) handlers.Next {
		return func(ctx context.Context, m *handlers.Message) error {
			key, err := in.keys.of(ctx, m)
			if err != nil {
				return err
			}
			err = in.transact(ctx, []string{key}, func(ctx context.Context, fresh []string) ([]string, error) {
				if len(fresh) == 0 {
					return nil, nil
				}
				return nil, next(ctx, m)
			})
			if err == nil {
				in.purgeNow(ctx)
			}
			return err
		}
	}
}

// transact records the keys in a transaction and calls do with those that were not recorded
// before. What do gives back is withdrawn again. An error, or a panic, rolls back.
func (in *Inbox[T]) transact(ctx context.Context, names []string, do func(ctx context.Context, fresh []string) (failed []string, err error)) error {
	tx, fresh, err := in.open(ctx, names)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // says that it was committed where it was
	failed, err := do(context.WithValue(ctx, txKey{}, tx), fresh)
	if err != nil || len(fresh) == 0 {
		return err
	}
	if len(failed) > 0 {
		args := append([]any{in.keys.code}, sqldb.Args(failed)...)
		if _, err := tx.ExecContext(ctx, withdraw(in.dialect, in.table, len(failed)), args...); err != nil {
			return in.ended(ctx, "withdraw", err)
		}
	}
	if err := tx.Commit(); err != nil {
		return in.ended(ctx, "commit", err)
	}
	return nil
}

// open begins a transaction and records names in it, so that it may write from then on. While
// another connection holds SQLite's lock, it waits until ctx ends.
func (in *Inbox[T]) open(ctx context.Context, names []string) (tx *sql.Tx, fresh []string, err error) {
	var step string
	err = in.dialect.WhileBusy(ctx, func() error {
		step = "begin"
		if tx, err = in.db.BeginTx(ctx, in.begin); err != nil {
			return err
		}
		step = "record"
		if fresh, err = in.record(ctx, tx, names); err != nil {
			_ = tx.Rollback()
		}
		return err
	})
	if err != nil {
		return nil, nil, in.failed(step, err)
	}
	return tx, fresh, nil
}

// ended tells a transaction that the handler ended from one that the database did.
func (in *Inbox[T]) ended(ctx context.Context, step string, err error) error {
	if errors.Is(err, sql.ErrTxDone) && ctx.Err() == nil {
		return &EndedError{Code: in.keys.code}
	}
	return in.failed(step, err)
}

func (in *Inbox[T]) failed(step string, err error) error {
	return &DatabaseError{Code: in.keys.code, Step: step, Err: err}
}

// record adds records of names, which are different, and returns those that were not there.
// Where another transaction has just recorded one of them, it waits for its end.
func (in *Inbox[T]) record(ctx context.Context, tx *sql.Tx, names []string) (fresh []string, err error) {
	now, token := time.Now(), rand.Text()
	handled, expires := now.UnixMilli(), now.Add(in.keep).UnixMilli()
	args := make([]any, 0, 5*len(names))
	for _, name := range names {
		args = append(args, in.keys.code, name, token, handled, expires)
	}
	result, err := tx.ExecContext(ctx, insert(in.dialect, in.table, len(names)), args...)
	if err != nil {
		return nil, err
	}
	added, err := result.RowsAffected()
	switch {
	case err != nil:
		return nil, err
	case added == int64(len(names)):
		return names, nil
	case len(names) == 1:
		return nil, nil
	}
	known, err := in.known(ctx, tx, token, names)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if !known[name] {
			fresh = append(fresh, name)
		}
	}
	return fresh, nil
}

// known returns those of names that were recorded under another token.
func (in *Inbox[T]) known(ctx context.Context, tx *sql.Tx, token string, names []string) (map[string]bool, error) {
	args := append([]any{in.keys.code, token}, sqldb.Args(names)...)
	rows, err := tx.QueryContext(ctx, known(in.dialect, in.table, len(names)), args...)
	if err != nil {
		return nil, err
	}
	found, err := sqldb.Column[string](rows)
	known := make(map[string]bool, len(found))
	for _, name := range found {
		known[name] = true
	}
	return known, err
}
