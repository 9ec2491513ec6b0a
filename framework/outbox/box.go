package outbox

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/duequeue/duequeue/handlers/sqldb"
)

// DefaultTable is the table of rows.
const DefaultTable = "duequeue_outbox"

// Box is the table of rows in its database. Make it with [New]; it is immutable, has no
// connection, and is safe for concurrent use.
type Box struct {
	dialect sqldb.Dialect
	table   string
	channel string
}

// BoxOption changes what [New] makes.
type BoxOption func(*Box) error

// Table names the table, with a schema if it has one ("shop.outbox"). Names are quoted, so
// their case counts. Defaults to [DefaultTable].
func Table(name string) BoxOption {
	return func(b *Box) error {
		b.table = name
		return sqldb.CheckTable(name)
	}
}

// Notify makes each row notify a channel of PostgreSQL when it is committed, so that relays
// that [Listen] there send it at once. The channel is named as tables are, and quoted in
// LISTEN. Defaults to none: relays look as often as [Poll] says. Only for sqldb.Postgres.
func Notify(channel string) BoxOption {
	return func(b *Box) error {
		b.channel = channel
		if b.dialect != sqldb.Postgres {
			return fmt.Errorf("Notify(%q): %s has no channels; wake the relay of this process by Relay.Wake after the commit", channel, b.dialect)
		}
		return sqldb.CheckTable(channel)
	}
}

// New returns the box of a database: PostgreSQL 10, MySQL 8.0.1, MariaDB 10.6, SQLite 3.24 or
// later. The error has the mistakes of all arguments. [Box.Check] asks the database.
func New(d sqldb.Dialect, opts ...BoxOption) (*Box, error) {
	b := &Box{dialect: d, table: DefaultTable}
	errs := []error{d.Check()}
	for i, o := range opts {
		if o == nil {
			errs = append(errs, fmt.Errorf("option %d is nil", i))
		} else {
			errs = append(errs, o(b))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("outbox.New: %w", err)
	}
	return b, nil
}

// Check reads, writes and deletes in the table within a transaction that it rolls back. While
// another connection holds SQLite's lock, it waits until ctx ends. The error is a
// [*SchemaError], or with SQLite a [*sqldb.BusyError] or a [*sqldb.BusyTimeoutError].
func (b *Box) Check(ctx context.Context, db *sql.DB) error {
	err := b.dialect.WhileBusy(ctx, func() error {
		if err := b.dialect.CheckPool(ctx, db); err != nil {
			return err
		}
		tx, err := b.begin(ctx, db)
		if err != nil {
			return err
		}
		defer tx.rollback(ctx)
		return b.try(ctx, tx)
	})
	switch {
	case err == nil:
		return nil
	case errors.As(err, new(*sqldb.BusyError)), errors.As(err, new(*sqldb.BusyTimeoutError)):
		return fmt.Errorf("outbox: table %s: %w", b.table, err)
	default:
		return &SchemaError{Dialect: b.dialect, Table: b.table, Err: err}
	}
}

// try does what offers and relays do.
func (b *Box) try(ctx context.Context, tx txn) error {
	in := b.In(tx)
	if err := in.write(ctx, row{op: opCancel, queue: "duequeue-check", key: []byte("check")}); err != nil {
		return err
	}
	of := wants{queue: "duequeue-check"}
	if err := b.forbidSort(ctx, tx); err != nil {
		return err
	}
	found, err := b.look(ctx, tx, []wants{of})
	if err != nil {
		return err
	}
	claimed, err := b.claim(ctx, tx, of, 1, maxClaimBytes)
	if err != nil {
		return err
	}
	if len(found) == 0 || len(claimed.rows) == 0 {
		return errors.New("a row that was written is not found")
	}
	r := &claimed.rows[0]
	if err := b.postpone(ctx, tx, r, 0, errors.New("check")); err != nil {
		return err
	}
	if err := b.setAside(ctx, tx, r, errors.New("check")); err != nil {
		return err
	}
	return b.remove(ctx, tx, []int64{r.id})
}
