package classfile

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"os"
	"path"
	"strconv"
	"strings"
)

// addJar indexes a jar and the jars in it.
func (s *Source) addJar(file string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	s.closers = append(s.closers, f)
	info, err := f.Stat()
	if err != nil {
		return err
	}
	j := &jar{source: s, path: file, in: f, nested: &nestedBudget{jars: maxNestedJars, bytes: maxNestedBytes}}
	return j.index(info.Size())
}

// jar is one archive while it is indexed.
type jar struct {
	source *Source
	path   string // with ! for a jar inside a jar
	in     io.ReaderAt
	nested *nestedBudget
	inner  bool
}

// nestedBudget is what the jars inside a jar may still take.
type nestedBudget struct {
	jars  int
	bytes int
}

func (j *jar) fail(reason string, err error) error {
	return &FormatError{File: j.path, Offset: -1, Reason: reason, Err: err}
}

func (j *jar) index(size int64) error {
	r, err := zip.NewReader(j.in, size)
	if err != nil {
		return j.fail("neither a .class file nor a jar", err)
	}
	multi := j.multiRelease(r)
	var libs []*zip.File
	for _, f := range r.File {
		switch {
		case strings.HasSuffix(f.Name, ".class"):
			name, version, ok := className(f.Name, multi)
			if !ok {
				continue
			}
			if err := j.source.put(name, entry{path: j.path + "!" + f.Name, zipped: f, version: version, lib: j.inner}); err != nil {
				return err
			}
		case isLib(f.Name) && !j.inner:
			libs = append(libs, f)
		}
	}
	for _, f := range libs { // after the jar's own classes, as on the class path
		if err := j.indexNested(f); err != nil {
			return err
		}
	}
	return nil
}

// multiRelease reads the manifest.
func (j *jar) multiRelease(r *zip.Reader) bool {
	for _, f := range r.File {
		if !strings.EqualFold(f.Name, "META-INF/MANIFEST.MF") {
			continue
		}
		text, err := entry{zipped: f}.read(1 << 20)
		if err != nil {
			return false
		}
		for line := range strings.Lines(strings.TrimPrefix(string(text), "\ufeff")) {
			name, value, _ := strings.Cut(line, ":")
			if strings.EqualFold(name, "Multi-Release") {
				return strings.EqualFold(strings.TrimSpace(value), "true")
			}
		}
		return false
	}
	return false
}

// className returns the class that an entry should have, and the Java version
// it is for.
func className(file string, multi bool) (name string, version int, ok bool) {
	if isDescriptor(path.Base(file)) {
		return "", 0, false
	}
	for _, prefix := range []string{"BOOT-INF/classes/", "WEB-INF/classes/"} {
		file = strings.TrimPrefix(file, prefix)
	}
	if rest, versioned := strings.CutPrefix(file, "META-INF/versions/"); versioned {
		number, inner, found := strings.Cut(rest, "/")
		version, err := strconv.Atoi(number)
		if !multi || !found || err != nil || version < 9 {
			return "", 0, false
		}
		return binaryName(inner), version, true
	}
	if strings.HasPrefix(file, "META-INF/") {
		return "", 0, false
	}
	return binaryName(file), 0, true
}

func binaryName(file string) string {
	return strings.ReplaceAll(strings.TrimSuffix(file, ".class"), "/", ".")
}

// isLib reports whether an entry is a jar that its archive puts on the class path.
func isLib(name string) bool {
	if !strings.HasSuffix(name, ".jar") {
		return false
	}
	switch path.Dir(name) {
	case "BOOT-INF/lib", "WEB-INF/lib", "lib":
		return true
	}
	return false
}

func (j *jar) indexNested(f *zip.File) error {
	inner := &jar{source: j.source, path: j.path + "!" + f.Name, in: j.in, nested: j.nested, inner: true}
	if j.nested.jars--; j.nested.jars < 0 {
		return inner.fail(fmt.Sprintf("more than %d jars in one", maxNestedJars), nil)
	}
	if f.Method == zip.Store {
		// As Spring Boot writes them: read in place.
		at, err := f.DataOffset()
		if err != nil {
			return inner.fail("cannot be read", err)
		}
		size := int64(f.UncompressedSize64) // a section beyond the file just ends there
		inner.in = io.NewSectionReader(j.in, at, max(size, 0))
		return inner.index(max(size, 0))
	}
	data, err := entry{zipped: f}.read(j.nested.bytes)
	if err != nil {
		return inner.fail("cannot be read", err)
	}
	j.nested.bytes -= len(data)
	inner.in = bytes.NewReader(data)
	return inner.index(int64(len(data)))
}
