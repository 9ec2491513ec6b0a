package main

import (
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestDiffer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := func(name, text string) string {
		name = filepath.Join(dir, name)
		f, err := os.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		packed := gzip.NewWriter(f)
		if _, err = packed.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if err = packed.Close(); err != nil {
			t.Fatal(err)
		}
		if err = f.Close(); err != nil {
			t.Fatal(err)
		}
		return name
	}
	a, b, longer := file("a", "1 2\n\nx\ny\n"), file("b", "1 2\n\nx\nz\n"), file("longer", "1 2\n\nx\ny\nz\n")
	for _, row := range []struct{ one, other, want string }{
		{a, a, ""},
		{a, b, `at line 4: "y\n" and "z\n"`},
		{a, longer, `at line 5: "" and "z\n"`},
	} {
		if got, err := differ(row.one, row.other); got != row.want || err != nil {
			t.Errorf("%q, want %q; %v", got, row.want, err)
		}
	}
	if _, err := differ(a, filepath.Join(dir, "none")); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Error(err)
	}
}
