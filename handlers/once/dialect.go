package once

import (
	"fmt"
	"strings"
)

// Dialect is the SQL of a database. The zero value is refused.
type Dialect uint8

// The dialects.
const (
	// Postgres is PostgreSQL 9.5 or later.
	Postgres Dialect = iota + 1
	// MySQL is MySQL 5.7 or later and MariaDB 10.2 or later, with InnoDB.
	MySQL
	// SQLite is SQLite 3.24 or later. Let its driver wait for locks (busy_timeout).
	SQLite
)

// String returns the lower-case name of d.
func (d Dialect) String() string {
	switch d {
	case Postgres:
		return "postgres"
	case MySQL:
		return "mysql"
	case SQLite:
		return "sqlite"
	}
	return fmt.Sprintf("dialect(%d)", uint8(d))
}

// quote quotes a name that [checkTable] has passed, with its schema if there is one.
func (d Dialect) quote(name string) string {
	mark := `"`
	if d == MySQL {
		mark = "`"
	}
	return mark + strings.ReplaceAll(name, ".", mark+"."+mark) + mark
}

// marks returns n placeholders from the one with the number from, separated by commas.
func (d Dialect) marks(from, n int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteString(", ")
		}
		if d == Postgres {
			fmt.Fprintf(&b, "$%d", from+i)
		} else {
			b.WriteByte('?')
		}
	}
	return b.String()
}

// insert adds n records; those whose keys are there already are left as they are.
func (d Dialect) insert(table string, n int) string {
	const columns = 5
	var b strings.Builder
	b.WriteString("INSERT ")
	if d == MySQL {
		// Not ON DUPLICATE KEY UPDATE, whose count depends on the driver's clientFoundRows.
		// Values that do not fit are cut by IGNORE; checkKey lets none through.
		b.WriteString("IGNORE ")
	}
	b.WriteString("INTO " + d.quote(table) + " (queue, message_key, token, handled_at, expires_at) VALUES ")
	for i := range n {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString("(" + d.marks(1+i*columns, columns) + ")")
	}
	if d != MySQL {
		b.WriteString(" ON CONFLICT (queue, message_key) DO NOTHING")
	}
	return b.String()
}

// known selects, of n keys, those that other transactions have recorded.
func (d Dialect) known(table string, n int) string {
	return fmt.Sprintf("SELECT message_key FROM %s WHERE queue = %s AND token <> %s AND message_key IN (%s)",
		d.quote(table), d.marks(1, 1), d.marks(2, 1), d.marks(3, n))
}

// withdraw deletes the records of n keys.
func (d Dialect) withdraw(table string, n int) string {
	return fmt.Sprintf("DELETE FROM %s WHERE queue = %s AND message_key IN (%s)",
		d.quote(table), d.marks(1, 1), d.marks(2, n))
}

// purge deletes some of the records that have expired.
func (d Dialect) purge(table string, limit int) string {
	name := d.quote(table)
	if d == MySQL {
		return fmt.Sprintf("DELETE FROM %s WHERE expires_at < ? LIMIT %d", name, limit)
	}
	skip := ""
	if d == Postgres {
		skip = " FOR UPDATE SKIP LOCKED" // two processes that purge do not wait for each other
	}
	return fmt.Sprintf("DELETE FROM %s WHERE (queue, message_key) IN (SELECT queue, message_key FROM %s WHERE expires_at < %s LIMIT %d%s)",
		name, name, d.marks(1, 1), limit, skip)
}

// Schema returns the SQL that creates the table in this dialect, for a migration; it changes
// nothing where the table exists. table may carry a schema ("orders.handled"); "" is
// [DefaultTable]. The error is a [*TableError] or says that the dialect is unknown.
func Schema(d Dialect, table string) (string, error) {
	if table == "" {
		table = DefaultTable
	}
	if err := d.check(); err != nil {
		return "", err
	}
	if err := checkTable(table); err != nil {
		return "", err
	}
	text, end := "VARCHAR(255)", ")"
	switch d {
	case Postgres:
		text = `VARCHAR(255) COLLATE "C"`
	case MySQL:
		text, end = "VARBINARY(255)", ") ENGINE=InnoDB" // bytes: its collations take different keys for equal
	case SQLite:
	}
	index := d.quote(table[strings.LastIndexByte(table, '.')+1:] + "_expires")
	name := d.quote(table)
	columns := fmt.Sprintf(`
  queue       %[1]s NOT NULL,
  message_key %[1]s NOT NULL,
  token       VARCHAR(32) NOT NULL,
  handled_at  BIGINT NOT NULL,
  expires_at  BIGINT NOT NULL,
  PRIMARY KEY (queue, message_key)`, text)
	if d == MySQL { // it has no CREATE INDEX IF NOT EXISTS
		return fmt.Sprintf("CREATE TABLE IF NOT EXISTS %s (%s,\n  INDEX %s (expires_at)\n%s;\n", name, columns, index, end), nil
	}
	on := name
	if schema, bare, ok := strings.Cut(table, "."); ok && d == SQLite { // the index is named with the schema there, the table without
		index, on = d.quote(schema)+"."+index, d.quote(bare)
	}
	return fmt.Sprintf("CREATE TABLE IF NOT EXISTS %s (%s\n%s;\nCREATE INDEX IF NOT EXISTS %s ON %s (expires_at);\n", name, columns, end, index, on), nil
}

func (d Dialect) check() error {
	if d < Postgres || d > SQLite {
		return fmt.Errorf("%s is no dialect: give once.Postgres, once.MySQL or once.SQLite", d)
	}
	return nil
}
