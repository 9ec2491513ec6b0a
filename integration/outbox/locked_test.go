package outbox_test

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/framework/integration/rig/database"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/outbox"
	"github.com/duequeue/duequeue/handlers/sqldb"
)

// hold lets another connection hold a lock that holds up offers and relays, until release.
func (s *stand) hold() (release func()) {
	s.Helper()
	lock := map[string][2]string{
		"sqlite":   {"BEGIN IMMEDIATE", "ROLLBACK"},
		"postgres": {"BEGIN; LOCK TABLE duequeue_outbox IN ACCESS EXCLUSIVE MODE", "ROLLBACK"},
		"mysql":    {"LOCK TABLES duequeue_outbox WRITE", "UNLOCK TABLES"},
	}[s.db.Name]
	conn, err := s.db.Conn(s.Context())
	if err == nil {
		_, err = conn.ExecContext(s.Context(), lock[0])
	}
	if err != nil {
		s.Fatal(err)
	}
	return func() {
		if _, err := conn.ExecContext(s.Context(), lock[1]); err != nil {
			s.Error(err)
		}
		_ = conn.Close()
	}
}

// open opens another pool of the same database.
func (s *stand) open(change ...string) *sql.DB {
	s.Helper()
	db, err := sql.Open(s.db.Driver, strings.NewReplacer(change...).Replace(s.db.DSN))
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { _ = db.Close() })
	return db
}

// What somebody else has locked is waited for, at the start, by offers and by a relay at work.
func locked(s *stand) {
	s.relay()
	release := s.hold()
	done := make(chan error, 2)
	go func() {
		r, err := outbox.NewRelay(s.client, s.open("busy_timeout(60000)", "busy_timeout(1)"), s.box, []outbox.Queue{outbox.For(s.queue)})
		if err == nil {
			err = r.Start(s.Context())
		}
		if err == nil {
			err = r.Stop(s.Context())
		}
		done <- err
	}()
	go func() {
		done <- s.in(func(tx outbox.Tx) error { return outbox.Offer(s.Context(), tx, s.queue, "offered", time.Hour) })
	}()
	select {
	case err := <-done:
		s.Fatalf("something was done while the table was locked: %v", err)
	case <-time.After(300 * time.Millisecond):
	}
	release()
	for range 2 {
		if err := <-done; err != nil {
			s.Error(err)
		}
	}
	s.drained()
	if got := s.pending(); got != "offered" {
		s.Errorf("pending %q", got)
	}
}

// The database ends some of a relay's transactions by a deadlock: the relay goes on.
func deadlocks(s *stand) {
	s.relay()
	switch s.db.Name {
	case "postgres":
		s.exec("CREATE SEQUENCE refused")
		s.exec(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
			CASE nextval('refused')
				WHEN 1 THEN RAISE EXCEPTION 'deadlock detected' USING ERRCODE = '40P01';
				WHEN 2 THEN RAISE EXCEPTION 'could not serialize access' USING ERRCODE = '40001';
				ELSE RETURN OLD;
			END CASE;
		END $$`)
		s.exec("CREATE TRIGGER refuse BEFORE DELETE ON duequeue_outbox FOR EACH ROW EXECUTE FUNCTION refuse()")
	case "mysql":
		s.exec("CREATE SEQUENCE refused NOCACHE")
		s.exec(`CREATE TRIGGER refuse BEFORE DELETE ON duequeue_outbox FOR EACH ROW
			IF NEXT VALUE FOR refused <= 2 THEN
				SIGNAL SQLSTATE '40001' SET MYSQL_ERRNO = 1213, MESSAGE_TEXT = 'Deadlock found when trying to get lock';
			END IF`)
	default: // SQLite has one lock, and no deadlocks
		return
	}
	s.must(func(tx outbox.Tx) error { return outbox.Offer(s.Context(), tx, s.queue, "once", time.Hour) })
	s.drained()
	if got := s.pending(); got != "once" {
		s.Errorf("pending %q", got)
	}
}

// Where connections to SQLite wait too shortly, or the context ends, the error says what to do.
func TestSQLiteIsBusy(t *testing.T) {
	t.Parallel()
	s := newStand(t, database.SQLite(t), lab.StartRedis(t), "duequeue_outbox")
	wait := "busy_timeout(60000)"
	release := s.hold()
	ends, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	err := s.box.Check(ends, s.open())
	if !errors.As(err, new(*sqldb.BusyError)) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Check until the context ended: %v", err)
	}

	// An offer is written in the caller's transaction, which alone knows what to do again.
	short := s.open(wait, "busy_timeout(1)", "&_txlock=immediate", "")
	offer := func() error {
		tx, err := short.BeginTx(t.Context(), nil)
		if err != nil {
			return err
		}
		defer func() { _ = tx.Rollback() }()
		if err := outbox.Offer(t.Context(), s.box.In(tx), s.queue, "x", time.Hour); err != nil {
			return err
		}
		return tx.Commit()
	}
	var refused *outbox.WriteError
	if err := offer(); !errors.As(err, &refused) || !refused.Busy || !strings.Contains(err.Error(), "BEGIN IMMEDIATE") {
		t.Errorf("an offer while another connection writes: %v", err)
	}
	done := make(chan error, 1)
	go func() { done <- sqldb.SQLite.WhileBusy(t.Context(), offer) }()
	release()
	if err := <-done; err != nil {
		t.Errorf("a transaction that is tried again: %v", err)
	}

	// One that has read what another connection has changed since is too late.
	tx, err := short.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var n int
	if err := tx.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM duequeue_outbox").Scan(&n); err != nil || n != 1 {
		t.Fatalf("%d rows, %v", n, err)
	}
	if err := offer(); err != nil {
		t.Fatal(err)
	}
	if err := outbox.Offer(t.Context(), s.box.In(tx), s.queue, "y", time.Hour); !errors.As(err, &refused) || !refused.Busy {
		t.Errorf("an offer of a transaction that is too late: %v", err)
	}
	_ = tx.Rollback()

	// A PRAGMA that is executed by hand holds for one connection.
	hasty := s.open("_pragma="+wait+"&", "")
	if _, err := hasty.ExecContext(t.Context(), "PRAGMA busy_timeout = 60000"); err != nil {
		t.Fatal(err)
	}
	if err := s.box.Check(t.Context(), hasty); !errors.As(err, new(*sqldb.BusyTimeoutError)) || !strings.Contains(err.Error(), "_pragma=busy_timeout(20000)") {
		t.Errorf("Check of a pool that does not wait: %v", err)
	}
}
