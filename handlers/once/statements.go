package once

import (
	"fmt"
	"strings"

	"github.com/duequeue/duequeue/handlers/sqldb"
)

// insert adds n records; those whose keys are there already are left as they are.
func insert(d sqldb.Dialect, table string, n int) string {
	const columns = 5
	var b strings.Builder
	b.WriteString("INSERT ")
	if d == sqldb.MySQL {
		// Not ON DUPLICATE KEY UPDATE, whose count depends on the driver's clientFoundRows.
		// Values that do not fit are cut by IGNORE; checkKey lets none through.
		b.WriteString("IGNORE ")
	}
	b.WriteString("INTO " + d.Quote(table) + " (queue, message_key, token, handled_at, expires_at) VALUES ")
	for i := range n {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString("(" + d.Marks(1+i*columns, columns) + ")")
	}
	if d != sqldb.MySQL {
		b.WriteString(" ON CONFLICT (queue, message_key) DO NOTHING")
	}
	return b.String()
}

// known selects, of n keys, those that other transactions have recorded.
func known(d sqldb.Dialect, table string, n int) string {
	return fmt.Sprintf("SELECT message_key FROM %s WHERE queue = %s AND token <> %s AND message_key IN (%s)",
		d.Quote(table), d.Marks(1, 1), d.Marks(2, 1), d.Marks(3, n))
}

// withdraw deletes the records of n keys.
func withdraw(d sqldb.Dialect, table string, n int) string {
	return fmt.Sprintf("DELETE FROM %s WHERE queue = %s AND message_key IN (%s)",
		d.Quote(table), d.Marks(1, 1), d.Marks(2, n))
}

// purge deletes some of the records that have expired.
func purge(d sqldb.Dialect, table string, limit int) string {
	name := d.Quote(table)
	if d == sqldb.MySQL {
		return fmt.Sprintf("DELETE FROM %s WHERE expires_at < ? LIMIT %d", name, limit)
	}
	skip := ""
	if d == sqldb.Postgres {
		skip = " FOR UPDATE SKIP LOCKED" // two processes that purge do not wait for each other
	}
	return fmt.Sprintf("DELETE FROM %s WHERE (queue, message_key) IN (SELECT queue, message_key FROM %s WHERE expires_at < %s LIMIT %d%s)",
		name, name, d.Marks(1, 1), limit, skip)
}

// Schema returns the SQL that creates the table in this dialect, for a migration; it changes
// nothing where the table exists. table may carry a schema ("orders.handled"); "" is
// [DefaultTable]. The error is a [*sqldb.TableError] or says that the dialect is unknown.
func Schema(d sqldb.Dialect, table string) (string, error) {
	if table == "" {
		table = DefaultTable
	}
	text := "VARCHAR(255)"
	switch d {
	case sqldb.Postgres:
		text = `VARCHAR(255) COLLATE "C"`
	case sqldb.MySQL:
		text = "VARBINARY(255)" // bytes: its collations take different keys for equal
	case sqldb.SQLite:
	}
	columns := fmt.Sprintf(`
  queue       %[1]s NOT NULL,
  message_key %[1]s NOT NULL,
  token       VARCHAR(32) NOT NULL,
  handled_at  BIGINT NOT NULL,
  expires_at  BIGINT NOT NULL,
  PRIMARY KEY (queue, message_key)`, text)
	return d.CreateTable(table, columns, sqldb.Index{Suffix: "_expires", Columns: "(expires_at)"})
}
