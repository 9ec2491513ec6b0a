package classfile

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// Bounds of what [Open] indexes.
const (
	maxClasses     = 2 << 20   // names in all
	maxNestedJars  = 4096      // jars inside one jar
	maxNestedBytes = 512 << 20 // of compressed jars inside jars, which are read into memory
)

// Source is a set of classes in files: an index of names, behind which classes
// are parsed when they are asked for. Get one from [Open]. It is safe for
// concurrent use until it is closed.
type Source struct {
	where   string
	entries map[string]entry
	closers []io.Closer

	mu    sync.Mutex
	files map[string]*File // parsed so far
}

// entry is where one class stands.
type entry struct {
	path    string    // of the file; inside an archive behind !
	zipped  *zip.File // nil for a plain file
	version int       // of a multi-release jar; 0 for all
	lib     bool      // it stands in a jar inside a jar
}

// Open indexes .class files, directories of them, jars and wars, also Spring
// Boot's with the jars inside. Of a directory, jars that lie directly in it count
// too. Where several have a class the first one counts; of a multi-release jar
// that is the one for the newest Java. No class is parsed, apart from one or two
// that tell where the packages of a directory begin.
// The error is a [*FormatError], or one of the file system.
func Open(paths ...string) (*Source, error) {
	s := &Source{where: describe(paths), entries: map[string]entry{}, files: map[string]*File{}}
	if len(paths) == 0 {
		return nil, errors.New("no class file, directory or jar given")
	}
	for _, path := range paths {
		if err := s.add(path); err != nil {
			return nil, errors.Join(err, s.Close())
		}
	}
	if len(s.entries) == 0 {
		return nil, errors.Join(&FormatError{File: s.where, Offset: -1, Reason: "there is no class in it"}, s.Close())
	}
	return s, nil
}

// describe names the source in errors.
func describe(paths []string) string {
	const most = 3
	if len(paths) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(paths[:most], ", "), len(paths)-most)
	}
	return strings.Join(paths, ", ")
}

// Close closes the files behind s. Classes it gave stay good.
func (s *Source) Close() error {
	var errs []error
	for _, c := range s.closers {
		errs = append(errs, c.Close())
	}
	s.closers = nil
	return errors.Join(errs...)
}

func (s *Source) add(path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return err
	case info.IsDir():
		return s.addDir(path)
	case strings.HasSuffix(path, ".class"):
		f, err := s.parse(entry{path: path})
		if err != nil {
			return err
		}
		return s.put(f.Name, entry{path: path})
	}
	return s.addJar(path)
}

// put adds a class unless it is there.
func (s *Source) put(name string, e entry) error {
	if old, taken := s.entries[name]; taken && (archive(old.path) != archive(e.path) || old.version >= e.version) {
		return nil
	}
	if len(s.entries) >= maxClasses {
		return &FormatError{File: e.path, Offset: -1, Reason: fmt.Sprintf("more than %d classes", maxClasses)}
	}
	s.entries[name] = e
	return nil
}

// archive is the part of a path before the last !, or all of it.
func archive(path string) string {
	if at := strings.LastIndexByte(path, '!'); at >= 0 {
		return path[:at]
	}
	return path
}

// addDir finds the classes below dir. Packages may begin at dir or further down
// (target/classes): a class of each place tells.
func (s *Source) addDir(dir string) error {
	var roots []string // in which packages begin, each with a separator at its end
	// The separator makes a symbolic link to a directory the directory itself.
	return filepath.WalkDir(dir+string(filepath.Separator), func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() || isDescriptor(d.Name()):
			return nil
		case strings.HasSuffix(path, ".jar") && filepath.Dir(path) == filepath.Clean(dir):
			return s.addJar(path)
		case !strings.HasSuffix(path, ".class"):
			return nil
		}
		at := slices.IndexFunc(roots, func(r string) bool { return strings.HasPrefix(path, r) })
		if at < 0 {
			root, err := s.root(path)
			if err != nil {
				return err
			}
			at, roots = len(roots), append(roots, root)
		}
		name := strings.TrimSuffix(strings.TrimPrefix(path, roots[at]), ".class")
		return s.put(strings.ReplaceAll(name, string(filepath.Separator), "."), entry{path: path})
	})
}

// root returns the directory in which the packages of a class file begin.
func (s *Source) root(path string) (string, error) {
	f, err := s.parse(entry{path: path})
	if err != nil {
		return "", err
	}
	root, ok := strings.CutSuffix(path, filepath.FromSlash(slashed(f.Name))+".class")
	if !ok {
		return "", &FormatError{File: path, Class: f.Name, Offset: -1, Reason: "the file does not lie where its package says"}
	}
	return root, nil
}

func isDescriptor(base string) bool {
	return base == "module-info.class" || base == "package-info.class"
}

// Names returns the names of all classes, sorted. The caller owns the slice.
func (s *Source) Names() []string { return slices.Sorted(maps.Keys(s.entries)) }

// Has reports whether there is a class of that binary name.
func (s *Source) Has(name string) bool {
	_, ok := s.entries[name]
	return ok
}

// File returns the parsed class file of a class by its binary name. The error is
// a [*NotFoundError] or a [*FormatError].
func (s *Source) File(name string) (*File, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f := s.files[name]; f != nil {
		return f, nil
	}
	e, ok := s.entries[name]
	if !ok {
		return nil, &NotFoundError{Class: name, Near: s.near(name), Where: s.where}
	}
	f, err := s.parse(e)
	if err != nil {
		return nil, err
	}
	if f.Name != name {
		return nil, &FormatError{File: e.path, Class: f.Name, Offset: -1, Reason: "the file lies where class " + name + " should be"}
	}
	s.files[name] = f
	return f, nil
}

// Own parses the classes that are not in a jar inside a jar, in order of their names, and keeps
// none of them. The error is a [*FormatError]; other classes may follow it.
func (s *Source) Own() iter.Seq2[*File, error] {
	return func(yield func(*File, error) bool) {
		for _, name := range s.Names() {
			if e := s.entries[name]; !e.lib && !yield(s.parse(e)) {
				return
			}
		}
	}
}

func (s *Source) parse(e entry) (*File, error) {
	data, err := e.read(MaxBytes)
	if err != nil {
		return nil, &FormatError{File: e.path, Offset: -1, Reason: "cannot be read", Err: err}
	}
	f, err := Parse(data)
	var format *FormatError
	if errors.As(err, &format) {
		format.File = e.path
	}
	return f, err
}

// read returns the content, of which more than limit bytes are an error.
func (e entry) read(limit int) ([]byte, error) {
	var r io.ReadCloser
	var err error
	if e.zipped != nil {
		r, err = e.zipped.Open()
	} else {
		r, err = os.Open(e.path)
	}
	if err != nil {
		return nil, err
	}
	defer r.Close() //nolint:errcheck // only read from
	data, err := io.ReadAll(io.LimitReader(r, int64(limit)+1))
	if err == nil && len(data) > limit {
		err = fmt.Errorf("more than %d bytes", limit)
	}
	return data, err
}
