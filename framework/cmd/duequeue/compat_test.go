package main

import (
	"archive/zip"
	"io/fs"
	"os"

	"github.com/rogpeppe/go-internal/testscript"
)

// unpackChange puts the classes of a change into the directories old and new. Package compat has what
// they are, and what the jars do with messages of them.
//
//	change NAME
func unpackChange(ts *testscript.TestScript, _ bool, args []string) {
	r, err := zip.OpenReader("internal/compat/testdata/classes.zip")
	fail(ts, err)
	defer func() { _ = r.Close() }()
	for _, side := range []string{"old", "new"} {
		fail(ts, os.RemoveAll(ts.MkAbs(side)))
		classes, err := fs.Sub(r, args[0]+"/"+side)
		fail(ts, err)
		fail(ts, os.CopyFS(ts.MkAbs(side), classes))
	}
}
