// Package config fills a struct of settings from YAML and the environment, by the tags of its
// fields: yaml names a field, redact says what of it may be shown. All mistakes are found
// together, each with its place; none shows a password.
package config

import (
	"cmp"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/duequeue/duequeue/framework/fault"
)

// Source says where settings are read.
type Source struct {
	File    string // the YAML file's name, in places of mistakes
	YAML    []byte
	Section string   // the part of the file, its keys with dots between; "" for all of it
	Environ []string // as of os.Environ
	Prefix  string   // of environment variables; "" reads none

	// Of a file that was made of one of Redisson's:
	Origin    map[string]string // field path: where that one has it
	Release   string            // the Redisson that reads it; "" for any
	ByProgram []string          // settings of it that the program sees to
}

// Reading is what one call of [Read] found beside the values.
type Reading struct {
	Origin  map[string]string // field path: where its value was read
	Unknown []string          // variables with the prefix that resemble no field

	file   string
	errs   fault.ConfigErrors
	broken bool // what the rest of the file says is unknown
}

// Open reads the file at path, "" for none, and the variables of this process.
func Open(path string) (Source, error) {
	s := Source{Environ: os.Environ()}
	if path == "" {
		return s, nil
	}
	var err error
	if s.YAML, err = ReadFile(path); err != nil {
		return s, fault.ConfigErrors{{Origin: path, Reason: "the file cannot be read", Err: err}}
	}
	s.File = filepath.Base(path)
	return s, nil
}

// Read sets the fields of the struct that into points to: those that the file names, then
// those that the environment names.
func Read(into any, s Source) *Reading {
	r := &Reading{Origin: map[string]string{}, file: s.File}
	if err := r.readYAML(into, s.YAML, s.Section); err != nil {
		r.errs, r.broken = fault.ConfigErrors{err}, true
		return r
	}
	maps.Copy(r.Origin, s.Origin)
	r.readEnv(into, s.Environ, s.Prefix)
	return r
}

// set parses text into a field, and notes where it came from.
func (r *Reading) set(f field, text, origin string) {
	if err := f.set(text); err != nil {
		r.errs = append(r.errs, &fault.ConfigError{Field: f.path, Origin: origin, Value: f.show(text), Reason: err.Error()})
		return
	}
	r.Origin[f.path] = origin
}

// Mistakes returns all that is wrong, in the order in which a reader meets it: what could not
// be read, and what the check of the values found. A field that could not be read is
// reported once.
func (r *Reading) Mistakes(check func() fault.ConfigErrors) error {
	if r.broken {
		return r.errs
	}
	errs := slices.Clone(r.errs)
	bad := map[string]bool{}
	for _, e := range errs {
		bad[e.Field] = true
	}
	for _, e := range check() {
		if !bad[e.Field] {
			errs = append(errs, e)
		}
	}
	if len(errs) == 0 {
		return nil
	}
	for _, name := range r.Unknown {
		errs = append(errs, unknownVariable(name, ", which is ignored"))
	}
	slices.SortStableFunc(errs, func(a, b *fault.ConfigError) int { return cmp.Compare(r.place(a), r.place(b)) })
	return errs
}

// place orders mistakes: the file's by line, then the environment's, then what is missing.
func (r *Reading) place(e *fault.ConfigError) int {
	if line, ok := strings.CutPrefix(e.Origin, r.file+":"); ok {
		if n, err := strconv.Atoi(line); err == nil {
			return n
		}
	}
	if e.Origin != "" {
		return math.MaxInt - 1
	}
	return math.MaxInt
}
