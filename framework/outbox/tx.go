package outbox

import (
	"context"
	"database/sql"
)

// Execer is what an offer needs of a transaction. *sql.Tx and the ConnPool of a GORM statement
// implement it; [Pgx] adapts a transaction of pgx.
type Execer interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

// Tx is a transaction of the database that has the table of a [Box]. Make it with [Box.In].
type Tx struct {
	box *Box
	tx  Execer
}

// In names the transaction that writes the rows. The caller commits the transaction.
func (b *Box) In(tx Execer) Tx { return Tx{box: b, tx: tx} }

// Pgx makes an [Execer] of pgx.Tx, or of anything else whose Exec returns what it likes.
func Pgx[R any](tx interface {
	Exec(ctx context.Context, query string, args ...any) (R, error)
},
) Execer {
	return executes(func(ctx context.Context, query string, args ...any) error {
		_, err := tx.Exec(ctx, query, args...)
		return err
	})
}

type executes func(ctx context.Context, query string, args ...any) error

// ExecContext returns no result: offers need none.
func (f executes) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	return nil, f(ctx, query, args...)
}
