package once

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/duequeue/duequeue/handlers/sqldb"
)

// Defaults and bounds.
const (
	// DefaultTable is the table of records.
	DefaultTable = "duequeue_once"
	// DefaultKeep is how long a record is kept: longer than any retry waits.
	DefaultKeep = 35 * 24 * time.Hour
	// MaxKey is the length of the longest key, in bytes.
	MaxKey = 255
)

// Option changes how records are kept; for [In] and [Lease].
type Option func(*settings) error

type settings struct {
	table string
	keep  time.Duration
	begin *sql.TxOptions
}

// Table names the table of records, with a schema if it has one ("orders.handled"). Names
// are quoted, so their case counts. Defaults to [DefaultTable]. Only for [In].
func Table(name string) Option {
	return func(s *settings) error {
		s.table = name
		return sqldb.CheckTable(name)
	}
}

// Keep is how long records are kept after their message was handled. It must be longer than
// the longest time after which a message comes again, otherwise the error is a [*KeepError].
// Defaults to [DefaultKeep].
func Keep(d time.Duration) Option {
	return func(s *settings) error {
		s.keep = d
		return nil // checked against the queue's policy
	}
}

// Isolation sets the isolation level of the transactions; the default is the database's.
// Levels at which the database refuses transactions that meet (serializable) work: the
// message is retried. Only for [In].
func Isolation(level sql.IsolationLevel) Option {
	return func(s *settings) error {
		s.begin = &sql.TxOptions{Isolation: level}
		return nil
	}
}

// checkKey lets only keys through that every database keeps as they are.
func checkKey(code, key string) error {
	var reason string
	switch {
	case key == "":
		reason = "is empty"
	case len(key) > MaxKey:
		reason = fmt.Sprintf("has %d bytes", len(key))
	case !utf8.ValidString(key):
		reason = "is no UTF-8"
	case strings.IndexByte(key, 0) >= 0:
		reason = "has a zero byte"
	default:
		return nil
	}
	return &KeyError{Code: code, Key: key, Reason: reason}
}

func apply(opts []Option) (settings, []error) {
	s := settings{table: DefaultTable, keep: DefaultKeep}
	var errs []error
	for i, o := range opts {
		if o == nil {
			errs = append(errs, fmt.Errorf("option %d is nil", i))
		} else if err := o(&s); err != nil {
			errs = append(errs, err)
		}
	}
	return s, errs
}

// txKey is the key of the transaction in a context.
type txKey struct{}

// Tx returns the transaction in which the handler makes its changes. It ends when the
// handler returns, and belongs to that call: it must not be committed, rolled back, or kept.
// It is nil where the handler does not run behind [Inbox.Middleware] or
// [Inbox.BatchMiddleware].
func Tx(ctx context.Context) *sql.Tx {
	tx, _ := ctx.Value(txKey{}).(*sql.Tx)
	return tx
}
