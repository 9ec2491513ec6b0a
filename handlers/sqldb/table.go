package sqldb

import (
	"database/sql"
	"errors"
	"fmt"
	"strings"
)

// Index is an index of a table: its name is that of the table with Suffix behind it.
type Index struct{ Suffix, Columns string }

// CreateTable returns the SQL that creates a table and its indexes, and changes nothing where
// they exist. columns stand in the parentheses of CREATE TABLE, without the last line's end. The
// error is a [*TableError] or says that the dialect is unknown.
func (d Dialect) CreateTable(table, columns string, indexes ...Index) (string, error) {
	if err := d.Check(); err != nil {
		return "", err
	}
	if err := CheckTable(table); err != nil {
		return "", err
	}
	var within, behind strings.Builder
	end := ""
	for _, i := range indexes {
		name, on := d.indexOf(table, i.Suffix)
		if d == MySQL { // it has no CREATE INDEX IF NOT EXISTS
			fmt.Fprintf(&within, ",\n  INDEX %s %s", name, i.Columns)
		} else {
			fmt.Fprintf(&behind, "CREATE INDEX IF NOT EXISTS %s ON %s %s;\n", name, on, i.Columns)
		}
	}
	if d == MySQL {
		end = " ENGINE=InnoDB"
	}
	return fmt.Sprintf("CREATE TABLE IF NOT EXISTS %s (%s%s\n)%s;\n%s", d.Quote(table), columns, within.String(), end, behind.String()), nil
}

// indexOf returns the quoted name of an index and, after ON, that of its table. SQLite names the
// schema with the index, the others with the table.
func (d Dialect) indexOf(table, suffix string) (name, on string) {
	schema, bare, ok := strings.Cut(table, ".")
	if !ok {
		bare = table
	}
	name, on = d.Quote(bare+suffix), d.Quote(table)
	if ok && d == SQLite {
		name, on = d.Quote(schema)+"."+name, d.Quote(bare)
	}
	return name, on
}

// Args returns values as arguments of a statement.
func Args[T any](values []T) []any {
	out := make([]any, len(values))
	for i, v := range values {
		out[i] = v
	}
	return out
}

// Column reads all rows of one column, and closes them.
func Column[T any](rows *sql.Rows) (values []T, err error) {
	for rows.Next() {
		var v T
		if err := rows.Scan(&v); err != nil {
			return nil, errors.Join(err, rows.Close())
		}
		values = append(values, v)
	}
	return values, errors.Join(rows.Err(), rows.Close())
}
