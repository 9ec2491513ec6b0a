// Package sqldb names the databases that handlers/once and framework/outbox speak to by
// database/sql. It has no drivers.
package sqldb

import (
	"fmt"
	"regexp"
	"strings"
)

// Dialect is the SQL of a database. The zero value is refused.
type Dialect uint8

// The dialects. What needs more of a database says so.
const (
	// Postgres is PostgreSQL 9.5 or later.
	Postgres Dialect = iota + 1
	// MySQL is MySQL 5.7 or later and MariaDB 10.2 or later, with InnoDB.
	MySQL
	// SQLite is SQLite 3.24 or later. The DSN lets every connection wait for the lock
	// (busy_timeout), see [Dialect.CheckPool].
	SQLite
)

var names = map[Dialect]string{Postgres: "postgres", MySQL: "mysql", SQLite: "sqlite"}

// String returns the lower-case name of d: postgres, mysql or sqlite.
func (d Dialect) String() string {
	if name, ok := names[d]; ok {
		return name
	}
	return fmt.Sprintf("dialect(%d)", uint8(d))
}

// GoString returns the constant of d, as a program names it.
func (d Dialect) GoString() string {
	return map[Dialect]string{Postgres: "sqldb.Postgres", MySQL: "sqldb.MySQL", SQLite: "sqldb.SQLite"}[d]
}

// Parse returns the dialect with a name as [Dialect.String] gives it; "mariadb" is MySQL.
func Parse(name string) (Dialect, error) {
	if name == "mariadb" {
		return MySQL, nil
	}
	for d, n := range names {
		if n == name {
			return d, nil
		}
	}
	return 0, fmt.Errorf("%q is no dialect: give postgres, mysql, mariadb or sqlite", name)
}

// Check refuses what is no dialect.
func (d Dialect) Check() error {
	if _, ok := names[d]; !ok {
		return fmt.Errorf("%s is no dialect: give sqldb.Postgres, sqldb.MySQL or sqldb.SQLite", d)
	}
	return nil
}

// Quote quotes a name that [CheckTable] has passed, with its schema if there is one.
func (d Dialect) Quote(name string) string {
	mark := `"`
	if d == MySQL {
		mark = "`"
	}
	return mark + strings.ReplaceAll(name, ".", mark+"."+mark) + mark
}

// Marks returns n placeholders from the one with the number from, separated by commas.
func (d Dialect) Marks(from, n int) string {
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

// TableError says that the name of a table is refused.
type TableError struct{ Table string }

// Error says what a name may be.
func (e *TableError) Error() string {
	return fmt.Sprintf("table %.80q: give a name of letters, digits and underscores, at most 63 characters, with or without a schema before a dot", e.Table)
}

// ErrorType returns "sql_table", the low-cardinality name used in telemetry.
func (e *TableError) ErrorType() string { return "sql_table" }

// tableName is a name, or two with a dot between them.
var tableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,62}(\.[A-Za-z_][A-Za-z0-9_]{0,62})?$`)

// CheckTable lets only names through that need no escapes. The error is a [*TableError].
func CheckTable(name string) error {
	if !tableName.MatchString(name) {
		return &TableError{Table: name}
	}
	return nil
}
