// Package redissonconfig reads the configuration file of a Redisson client (YAML or JSON, of
// releases 3.8 to 4.7, also inside an application.yaml of Spring Boot), and writes the YAML
// of package framework that says the same. It takes over what a service in Go needs to reach
// the same queues, and names every other setting as not taken over.
package redissonconfig

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/config"
)

// Bounds of what is told about a file; those of the file itself are in package config.
const (
	maxShown    = 200
	maxMistakes = 100
)

// Source is a file of Redisson's.
type Source struct {
	File    string // its name, in places of mistakes
	Folder  string // where it lies; files that it names are looked for there
	Text    []byte
	Environ []string // as of os.Environ
	Release string   // of the Redisson that reads it, such as 3.18.1; "" for any
	Secrets bool     // take passwords over, too
}

// Open reads the file at path and takes the variables of this process.
func Open(path string) (Source, error) {
	s := Source{File: filepath.Base(path), Folder: filepath.Dir(path), Environ: os.Environ()}
	var err error
	if s.Text, err = config.ReadFile(path); err != nil {
		return s, fault.ConfigErrors{{Origin: path, Reason: "the file cannot be read", Err: err}}
	}
	return s, nil
}

// Load turns the file at path into one of ours, passwords and all.
func Load(path string, s config.Source) (config.Source, error) {
	src, err := Open(path)
	if err != nil {
		return s, err
	}
	if s.Section != "" {
		return s, fault.ConfigErrors{{Reason: "Section is for LoadConfig: a file of Redisson has its own form"}}
	}
	src.Release, src.Secrets = s.Release, true
	read, err := Read(src)
	if err != nil {
		return s, err
	}
	var errs fault.ConfigErrors
	for _, n := range read.Notes {
		if name := n.Setting[strings.LastIndexByte(n.Setting, '.')+1:]; n.Blocks && !slices.Contains(s.ByProgram, name) {
			errs = append(errs, &fault.ConfigError{Field: n.Setting, Origin: n.At, Value: n.Value, Reason: "is not taken over: " + n.Why + ". Then name it by ByProgram(" + strconv.Quote(name) + ")"})
		}
	}
	if len(errs) > 0 {
		return s, errs
	}
	s.File, s.YAML, s.Environ, s.Origin = src.File, read.YAML(), src.Environ, read.origins()
	return s, nil
}

// Verdict is what becomes of a setting.
type Verdict string

// The verdicts.
const (
	Taken    Verdict = "taken over"
	NotTaken Verdict = "not taken over"
)

// Note says what becomes of one setting of the file.
type Note struct {
	Setting string  `json:"setting"`         // as in singleServerConfig.timeout
	At      string  `json:"at,omitempty"`    // file and line; none of what is not written
	Value   string  `json:"value,omitempty"` // as written, without secrets
	Verdict Verdict `json:"verdict"`
	Fields  string  `json:"fields,omitempty"` // ours that have it
	Why     string  `json:"why,omitempty"`
	Blocks  bool    `json:"blocks,omitempty"` // without it Redis or the queues are other ones, or out of reach
}

// Reading is what a file became.
type Reading struct {
	Notes  []Note // in the order of the file
	fields map[string]field
	src    Source
}

// field is one setting of ours.
type field struct {
	values []string
	list   bool
	secret bool
	from   []*Note
}

// reader collects what is found in one file.
type reader struct {
	src      Source
	release  release
	variable func(line int) string
	spills   bool // what replaced a variable is on lines that variable does not know
	errs     fault.ConfigErrors
	ofSpring bool   // Spring replaces the variables
	section  string // the one that says where the servers are
	settings []*setting
	byName   map[string]*setting
	out      Reading
}

// Read reads a file. All mistakes are returned together as [fault.ConfigErrors]; none shows
// a password.
func Read(src Source) (*Reading, error) {
	r := &reader{src: src, byName: map[string]*setting{}, out: Reading{src: src, fields: map[string]field{}}}
	var err *fault.ConfigError
	if r.release, err = parseRelease(src.Release); err != nil {
		return nil, fault.ConfigErrors{err}
	}
	if !r.springFile() {
		r.redisson(src.Text)
	}
	if len(r.errs) == 0 {
		r.translate()
	}
	if n := len(r.errs); n > maxMistakes {
		r.errs = append(r.errs[:maxMistakes], &fault.ConfigError{Origin: src.File, Reason: fmt.Sprintf("and %d more mistakes", n-maxMistakes)})
	}
	if len(r.errs) > 0 {
		return nil, r.errs
	}
	return &r.out, nil
}

// redisson reads a text of Redisson's.
func (r *reader) redisson(text []byte) {
	node, err := r.document(text)
	switch {
	case err != nil:
		r.errs = append(r.errs, err)
	case !isMapping(node):
		r.wrong("", node, "must be a mapping of Redisson's settings, such as singleServerConfig")
	default:
		for _, e := range config.Entries(node) {
			if name := keyOf(e); slices.Contains(serverSections, name) {
				r.servers(name, e)
			} else {
				r.take("", e)
			}
		}
		if r.section == "" && len(r.errs) == 0 {
			r.wrong("", node, "nothing says where Redis is: one of %s is needed", strings.Join(serverSections, ", "))
		}
	}
}

// servers reads one of the parts that say where the servers are.
func (r *reader) servers(section string, part *ast.MappingValueNode) {
	switch {
	case isNull(part.Value):
	case !isMapping(part.Value):
		r.wrong(section, part.Value, "must be a mapping of settings")
	case r.section != "":
		r.wrong(section, part.Key, "%s is there, too: Redisson uses one of the two alone, so remove the one that is not meant", r.section)
	default:
		r.section = section
		for _, e := range config.Entries(part.Value) {
			r.take(section, e)
		}
	}
}

// What is said of a key that may be a part of a password.
const (
	gluedKey   = "a colon in a key: write a blank behind it"
	unknownKey = "a key that is unknown; quote values that hold a comma or a colon"
)

// take reads a setting.
func (r *reader) take(section string, e *ast.MappingValueNode) {
	name := keyOf(e)
	before, _, colon := strings.Cut(name, ":")
	known, ok := kept[name]
	path := func(name string) string { return strings.TrimPrefix(section+"."+name, ".") }
	switch _, text := e.Key.(*ast.StringNode); {
	case !text:
		r.wrong(section, e.Key, "a key must be a plain text")
	case colon && kept[before].name != "": // what follows may be a password
		r.wrong(path(before), e.Key, gluedKey)
	case !ok && (colon || r.spilled(e)):
		r.wrong(section, e.Key, unknownKey)
	case !ok && meant(name) != "":
		r.wrong(path(name), e.Key, "unknown to Redisson; did you mean %s?", meant(name))
	case ok && section == "" && !known.root:
		r.wrong(name, e.Key, "belongs into the part that says where Redis is, such as singleServerConfig")
	default:
		s := &setting{row: known, node: e.Value, note: Note{Setting: codecs.Printable(path(name), maxShown), At: config.At(r.src.File, e.Key.GetToken())}}
		r.value(s, e.Key)
	}
}

// value reads the value of a setting that is kept.
func (r *reader) value(s *setting, key ast.Node) {
	if s.name == "" {
		s.note.Verdict = NotTaken
		r.settings = append(r.settings, s)
		return
	}
	if err := s.read(); err != "" {
		r.mistake(s, err)
		return
	}
	if v := r.variable(key.GetToken().Position.Line); v != "" && !r.spills {
		s.note.Why = "from " + v
	}
	r.settings = append(r.settings, s)
	if other := r.byName[s.name]; other != nil && !other.null {
		if s.null {
			return
		}
		if s.text != other.text {
			r.wrong(s.note.Setting, key, "%s (%s) says something else: use one of the two", other.note.Setting, other.note.At)
		}
	}
	r.byName[s.name] = s
}

// spilled reports whether a key may be the rest of a value that is not quoted, as b is in
// {password: a,b}, or a part of what replaced a variable.
func (r *reader) spilled(e *ast.MappingValueNode) bool {
	return r.spills || r.variable(e.Key.GetToken().Position.Line) != "" || withoutColon(e)
}

// withoutColon reports whether a key has no value, or one that follows its colon without a
// blank: YAML of other parsers then has no colon there.
func withoutColon(e *ast.MappingValueNode) bool {
	if isNull(e.Value) {
		return e.Value == nil || e.Value.GetToken().Type == token.ImplicitNullType
	}
	key, value := e.Key.GetToken(), e.Value.GetToken()
	return key.Type == token.StringType && e.Start.Position.Offset+1 == value.Position.Offset
}

// wrong notes a mistake at a place of the file.
func (r *reader) wrong(path string, at ast.Node, format string, args ...any) {
	r.errs = append(r.errs, &fault.ConfigError{
		Field: codecs.Printable(path, maxShown), Origin: config.At(r.src.File, at.GetToken()), Reason: fmt.Sprintf(format, args...),
	})
}

// mistake notes a setting whose value is wrong.
func (r *reader) mistake(s *setting, reason string) {
	r.errs = append(r.errs, &fault.ConfigError{Field: s.note.Setting, Origin: s.note.At, Value: s.note.Value, Reason: reason})
}

// missing notes a setting that is not there.
func (r *reader) missing(name, reason string) {
	r.errs = append(r.errs, &fault.ConfigError{Field: r.section + "." + name, Origin: r.src.File, Reason: "is missing: " + reason})
}

func isMapping(n ast.Node) bool {
	switch n.(type) {
	case *ast.MappingNode, *ast.MappingValueNode:
		return true
	}
	return false
}

func isNull(n ast.Node) bool {
	_, ok := n.(*ast.NullNode)
	return ok || n == nil
}

func keyOf(e *ast.MappingValueNode) string { return e.Key.GetToken().Value }
