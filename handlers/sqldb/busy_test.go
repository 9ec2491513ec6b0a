package sqldb_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/handlers/sqldb"
)

// coded is an error as modernc.org/sqlite gives it.
type coded int

func (c coded) Error() string { return fmt.Sprintf("refused (%d)", int(c)) }
func (c coded) Code() int     { return int(c) }

var errText = errors.New("database is locked") // as other drivers give it

func TestBusy(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		d    sqldb.Dialect
		err  error
		want bool
	}{
		{sqldb.SQLite, coded(5), true},
		{sqldb.SQLite, fmt.Errorf("begin: %w", coded(517)), true}, // SQLITE_BUSY_SNAPSHOT
		{sqldb.SQLite, coded(1), false},
		{sqldb.SQLite, errText, true},
		{sqldb.SQLite, errors.New("no such table"), false},
		{sqldb.SQLite, nil, false},
		{sqldb.Postgres, errText, false},
	} {
		if got := c.d.Busy(c.err); got != c.want {
			t.Errorf("%s, %v: %v", c.d, c.err, got)
		}
	}
}

func TestWhileBusy(t *testing.T) {
	t.Parallel()
	ended, cancel := context.WithCancel(t.Context())
	calls := 0
	// times fails so often, and then succeeds.
	times := func(n int, err error) func() error {
		calls = 0
		return func() error {
			if calls++; calls > n {
				return nil
			}
			return err
		}
	}
	if err := sqldb.SQLite.WhileBusy(ended, times(5, errText)); err != nil || calls != 6 {
		t.Errorf("%d calls, %v", calls, err)
	}
	other := errors.New("no such table")
	if err := sqldb.SQLite.WhileBusy(ended, times(5, other)); !errors.Is(err, other) || calls != 1 {
		t.Errorf("another error: %d calls, %v", calls, err)
	}
	if err := sqldb.MySQL.WhileBusy(ended, times(5, errText)); !errors.Is(err, errText) || calls != 1 {
		t.Errorf("another dialect: %d calls, %v", calls, err)
	}
	var busy *sqldb.BusyError
	err := sqldb.SQLite.WhileBusy(ended, func() error { cancel(); return errText })
	if !errors.As(err, &busy) || !errors.Is(err, context.Canceled) || !errors.Is(err, errText) || !strings.Contains(err.Error(), "holds the lock") {
		t.Errorf("at the end of the context: %v", err)
	}
	if err := sqldb.SQLite.WhileBusy(ended, times(5, errText)); !errors.Is(err, errText) || calls != 1 {
		t.Errorf("behind the end of the context: %d calls, %v", calls, err)
	}
	if err := sqldb.Postgres.CheckPool(t.Context(), nil); err != nil {
		t.Error(err)
	}
}
