package jackson_test

import (
	"slices"
	"testing"

	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/internal/databind/databindtest"
)

// golden returns what a release of Redisson wrote; of older ones what differs.
func golden(t testing.TB, release string) []databindtest.Row {
	t.Helper()
	return slices.DeleteFunc(databindtest.Golden(t, "."), func(r databindtest.Row) bool { return r.Release != release })
}

// rows reads a table of testdata, which has at least so many rows.
func rows(t testing.TB, file string, least int) [][]string {
	t.Helper()
	out := codectest.Rows(t, "testdata/"+file)
	if len(out) < least {
		t.Fatalf("%s: only %d rows", file, len(out))
	}
	return out
}

// captured returns what Java wrote for a label.
func captured(t *testing.T, file, label string) string {
	t.Helper()
	for _, row := range rows(t, file, 1) {
		if row[0] == label {
			return row[1]
		}
	}
	t.Fatalf("%s has no row %q", file, label)
	return ""
}
