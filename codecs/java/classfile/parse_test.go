package classfile_test

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/java/classfile"
)

// files returns all class files of testdata.
func files(t testing.TB) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	for _, pattern := range []string{"testdata/classes/demo/*.class", "testdata/classes/old/*.class", "testdata/noted/*.class"} {
		paths, err := filepath.Glob(pattern)
		if err != nil || len(paths) == 0 {
			t.Fatal(paths, err)
		}
		for _, path := range paths {
			all[path] = []byte(file(t, path))
		}
	}
	return all
}

// TestTruncated cuts class files: always an error with an offset within the file, never a
// class.
func TestTruncated(t *testing.T) {
	t.Parallel()
	for path, data := range files(t) {
		for n := range codectest.Places(len(data)) {
			_, err := classfile.Parse(data[:n])
			var e *classfile.FormatError
			if !errors.As(err, &e) || e.Offset < 0 || e.Offset > n {
				t.Fatalf("%s cut to %d of %d bytes: %v", path, n, len(data), err)
			}
		}
	}
}

// TestBent changes single bytes: an error or a class, no panic.
func TestBent(t *testing.T) {
	t.Parallel()
	for _, data := range files(t) {
		bent := slices.Clone(data)
		for i := range codectest.Places(len(data)) {
			for _, b := range []byte{0xFF, data[i] ^ 0x10} {
				bent[i] = b
				visit(bent)
			}
			bent[i] = data[i]
		}
	}
}

// visit asks for all that a class file may give.
func visit(data []byte) {
	f, err := classfile.Parse(data)
	if err != nil {
		return
	}
	f.SerialVersionUID()
	f.DefaultSerial()
	_, _ = f.Class() // an error is as good as a class here
}

func TestVersions(t *testing.T) {
	t.Parallel()
	data := []byte(class(t, "demo.Order"))
	for _, major := range []uint16{45, 52, 61, 67, 70} {
		binary.BigEndian.PutUint16(data[6:], major)
		f, err := classfile.Parse(data)
		if err != nil || f.Major != int(major) || f.Minor != 0 {
			t.Errorf("%d: %v", major, err)
		}
	}
	binary.BigEndian.PutUint16(data[6:], 44)
	if _, err := classfile.Parse(data); err == nil || !strings.Contains(err.Error(), "version 44") {
		t.Error(err)
	}
	if f, err := classfile.Parse([]byte(class(t, "old.Legacy"))); err != nil || f.Major != 51 {
		t.Error(f, err)
	}
}

func TestParseDetails(t *testing.T) {
	t.Parallel()
	s := open(t, "testdata/classes")
	for name, want := range map[string]classfile.Access{
		"demo.Order$Item":   classfile.Public | classfile.Static,
		"demo.Order$Line":   classfile.Public | classfile.Final,
		"demo.Marked":       classfile.Public | classfile.Interface | classfile.Abstract,
		"old.Legacy$Inside": 0, // package private: ACC_SUPER does not count
	} {
		t.Run(name, func(t *testing.T) {
			f, err := s.File(name)
			if err != nil || f.Access != want && f.Access&^0x0020 != want {
				t.Errorf("%s: %#x, %v; want %#x", name, f.Access, err, want)
			}
		})
	}
	line, err := s.File("demo.Order$Line")
	if err != nil || !line.Inner || line.Field("this$0") == nil || !line.Field("this$0").Access.Is(classfile.Synthetic) {
		t.Error(line, err)
	}
	written, err := s.File("demo.Strange$Written")
	if err != nil || written.Method("writeObject") == nil || written.Method("nothing") != nil || written.Field("nothing") != nil {
		t.Error(written, err)
	}
	if m := written.Field("serialVersionUID"); m.Constant != nil {
		t.Error("a value that only running code tells is taken for a constant")
	}
}

// hostile builds a class with many fields that all name the same long constants.
func hostile(fields int, signature string) []byte {
	var b []byte
	u2 := func(n int) { b = binary.BigEndian.AppendUint16(b, uint16(n)) }
	text := func(s string) { b = append(b, 1); u2(len(s)); b = append(b, s...) }
	b = append(b, 0xCA, 0xFE, 0xBA, 0xBE, 0, 0, 0, 61)
	u2(5)
	text("A") // 1
	b = append(b, 7)
	u2(1)             // 2: class A
	text("Signature") // 3
	text(signature)   // 4
	u2(1)
	u2(2)
	u2(0)
	u2(0)
	u2(fields)
	for range fields {
		u2(0)
		u2(1)
		u2(4)
		u2(1)
		u2(3)
		b = append(b, 0, 0, 0, 2)
		u2(4)
	}
	u2(0)
	u2(0)
	return b
}

// TestBounded has files that would take much more memory than they have bytes if
// every use of a constant were read anew. It runs alone: what it measures is the
// whole program's.
func TestBounded(t *testing.T) {
	for name, data := range map[string][]byte{
		"names":      hostile(65535, strings.Repeat("x", 65535)),
		"arguments":  hostile(200, "La<"+strings.Repeat("*", 250)+">;"),
		"too many":   hostile(2, "La<"+strings.Repeat("*", 60000)+">;"),
		"nested":     hostile(2, strings.Repeat("La<", 20000)),
		"dimensions": hostile(2, strings.Repeat("[", 65000)+"I"),
	} {
		t.Run(name, func(t *testing.T) {
			if got, most := allocated(func() { visit(data) }), uint64(128*len(data)+2<<20); got > most {
				t.Errorf("%s: %d bytes allocated for %d, at most %d are due", name, got, len(data), most)
			}
		})
	}
	if _, err := classfile.Parse(hostile(65535, strings.Repeat("x", 65535))); err == nil || !strings.Contains(err.Error(), "times its size") {
		t.Error(err)
	}
}

func allocated(do func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// FuzzParse feeds the parser, the descriptor and the computed serialVersionUID.
func FuzzParse(f *testing.F) {
	for _, data := range files(f) {
		f.Add(data)
	}
	f.Add(hostile(3, "Ljava/util/Map<TK;+Ljava/util/List<*>;>.Entry<[[ITV;>;"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if got, most := allocated(func() { visit(data) }), uint64(128*len(data)+2<<20); got > most {
			t.Errorf("%d bytes allocated for %d", got, len(data))
		}
	})
}

// FuzzJar opens archives.
func FuzzJar(f *testing.F) {
	inner := jarBytes(f, entry{name: "demo/Color.class", content: class(f, "demo.Color")})
	f.Add(jarBytes(f,
		entry{name: "META-INF/MANIFEST.MF", content: "Multi-Release: true\n"},
		entry{name: "META-INF/versions/11/demo/Node.class", content: class(f, "demo.Node")},
		entry{name: "BOOT-INF/lib/a.jar", content: string(inner), stored: true},
		entry{name: "WEB-INF/lib/b.jar", content: string(inner)},
	))
	f.Add(inner)
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "a.jar")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := classfile.Open(path)
		if err != nil {
			return
		}
		for _, name := range s.Names() {
			_, _ = s.Class(name) // no panic is what counts
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
}
