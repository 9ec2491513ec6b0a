package interop_test

import (
	"archive/zip"
	"bytes"
	"flag"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/framework/integration/jvm"
)

// updateClassChanges writes the verdicts and the compiled classes anew, by: go test ./interop -run
// TestClassChanges -args -update-class-changes
var updateClassChanges = flag.Bool("update-class-changes", false, "write what becomes of messages whose class changes, by what the jars do")

// classChanges is where package compat has the changes, the classes that they were compiled to, and
// what the jars do.
const classChanges = "../../framework/cmd/duequeue/internal/compat/testdata"

// changeReleases are the releases that judge the changes. River is in the oldest one alone: later jars
// come without its library.
var changeReleases = []string{"3.19.0", "3.45.1", "4.7.0"}

// TestClassChanges: what becomes of messages of an old class in a program with the new one is what
// the table says by which "duequeue compat" is tested.
func TestClassChanges(t *testing.T) {
	t.Parallel()
	chosen := releases(t)
	want := changeRows(t)
	var all []changeRow
	for _, version := range changeReleases {
		if !slices.Contains(chosen, version) {
			t.Logf("report: changes of classes are not judged by Redisson %s, which is not among the releases of this run", version)
			continue
		}
		classes := t.TempDir()
		rows := parseChanges(jvm.Run(t, version, "ClassChanges", filepath.Join(classChanges, "changes.txt"), classes), version)
		if *updateClassChanges {
			if len(all) == 0 {
				writeClasses(t, classes)
			}
			all = mergeChanges(all, rows)
			continue
		}
		compareClasses(t, classes)
		for _, r := range rows {
			if !slices.ContainsFunc(want, r.is) {
				t.Errorf("Redisson %s: %s is not in the table", version, r.cell)
			}
		}
		if n := countOf(want, version); n != len(rows) {
			t.Errorf("Redisson %s: the table has %d cells, the jar %d", version, n, len(rows))
		}
	}
	if *updateClassChanges {
		var b strings.Builder
		for _, r := range all {
			b.WriteString(r.cell + "\t" + strings.Join(r.releases, ",") + "\n")
		}
		if err := os.WriteFile(filepath.Join(classChanges, "verdicts.tsv"), []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// changeRow is what happens to the messages of one change with one codec, and in which releases.
type changeRow struct {
	cell     string // change, codec, verdict and the messages, by tab
	releases []string
}

// is reports whether a row of the table says what one of a release does.
func (r changeRow) is(want changeRow) bool {
	return want.cell == r.cell && slices.Contains(want.releases, r.releases[0])
}

func countOf(rows []changeRow, version string) (n int) {
	for _, r := range rows {
		if slices.Contains(r.releases, version) {
			n++
		}
	}
	return n
}

func parseChanges(text, version string) (rows []changeRow) {
	for line := range strings.Lines(text) {
		rows = append(rows, changeRow{strings.TrimSuffix(line, "\n"), []string{version}})
	}
	return rows
}

// mergeChanges adds the rows of another release, each behind those of its change and codec.
func mergeChanges(all, rows []changeRow) []changeRow {
	for _, r := range rows {
		if at := slices.IndexFunc(all, func(a changeRow) bool { return a.cell == r.cell }); at >= 0 {
			all[at].releases = append(all[at].releases, r.releases...)
			continue
		}
		same := func(a changeRow) bool { return keyOf(a.cell) == keyOf(r.cell) }
		at := len(all)
		for i, a := range all {
			if same(a) {
				at = i + 1
			}
		}
		all = slices.Insert(all, at, r)
	}
	return all
}

// keyOf is the change and the codec of a cell.
func keyOf(cell string) string {
	change, rest, _ := strings.Cut(cell, "\t")
	codec, _, _ := strings.Cut(rest, "\t")
	return change + "\t" + codec
}

func changeRows(t *testing.T) (rows []changeRow) {
	data, err := os.ReadFile(filepath.Join(classChanges, "verdicts.tsv"))
	if err != nil && !*updateClassChanges {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSuffix(line, "\n")
		at := strings.LastIndexByte(line, '\t')
		rows = append(rows, changeRow{line[:at], strings.Split(line[at+1:], ",")})
	}
	return rows
}

// writeClasses puts the compiled classes into the archive of package compat.
func writeClasses(t *testing.T, dir string) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	err := eachClass(dir, func(name string, data []byte) error {
		f, err := w.Create(name)
		if err == nil {
			_, err = f.Write(data)
		}
		return err
	})
	if err == nil {
		err = w.Close()
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(classChanges, "classes.zip"), b.Bytes(), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// compareClasses compares the archive with what was compiled.
func compareClasses(t *testing.T, dir string) {
	r, err := zip.OpenReader(filepath.Join(classChanges, "classes.zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	n := 0
	err = eachClass(dir, func(name string, data []byte) error {
		n++
		f, err := r.Open(name)
		if err != nil {
			return err
		}
		have, err := io.ReadAll(f)
		if err == nil && !bytes.Equal(have, data) {
			t.Errorf("%s in classes.zip is another class than its source in changes.txt", name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if n != len(r.File) {
		t.Errorf("classes.zip has %d classes, changes.txt %d", len(r.File), n)
	}
}

// eachClass does something with each compiled class, by its name below the directory.
func eachClass(dir string, do func(name string, data []byte) error) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		return do(filepath.ToSlash(name), data)
	})
}
