// Package redissonconfig reads the configuration file of a Redisson client (YAML or JSON, of
// releases 3.8 to 4.7, also inside an application.yaml of Spring Boot), and writes the YAML
// of package framework that says the same. It says of each setting what becomes of it.
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
			errs = append(errs, &fault.ConfigError{Field: n.Setting, Origin: n.At, Value: n.Value, Reason: "is not possible: " + n.Why + ". Then name it by ByProgram(" + strconv.Quote(name) + ")"})
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
	Taken       Verdict = "taken over"
	Meaningless Verdict = "without meaning here"
	Impossible  Verdict = "not possible"
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

// setting is one setting of the file, with the node that is its value.
type setting struct {
	row
	node   ast.Node
	text   string   // of a plain value
	texts  []string // of a list
	number int64
	class  string // behind a tag, or under "class"
	null   bool
	note   Note
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
		if root, failed := r.document(src.Text); failed != nil {
			r.errs = append(r.errs, failed)
		} else {
			r.root(root)
		}
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

// root reads the settings of a file of Redisson.
func (r *reader) root(node ast.Node) {
	if !isMapping(node) {
		r.wrong("", node, "must be a mapping of Redisson's settings, such as singleServerConfig")
		return
	}
	servers := map[string]ast.Node{}
	for _, e := range config.Entries(node) {
		name := keyOf(e)
		known, ok := r.known(rootSection, e)
		switch {
		case !ok:
		case isServers(name):
			if !isNull(e.Value) {
				servers[name] = e.Key
				r.servers(name, e.Value)
			}
		default:
			r.take(known, e)
		}
	}
	r.oneMode(node, servers)
}

// oneMode wants one part that says where the servers are. Redisson takes the first of several
// in an order of its own, and is silent about the others.
func (r *reader) oneMode(root ast.Node, servers map[string]ast.Node) {
	var found []string
	for _, name := range serverSections {
		if node, ok := servers[name]; ok {
			found = append(found, name)
			if len(found) == 1 {
				r.section = name
				continue
			}
			r.wrong(name, node, "%s is there, too: Redisson uses %s alone, so remove the one that is not meant", found[0], found[0])
		}
	}
	if len(found) == 0 && len(r.errs) == 0 {
		r.wrong("", root, "nothing says where Redis is: one of %s is needed", strings.Join(serverSections[:len(serverSections)-1], ", "))
	}
}

// servers reads one of the parts that say where the servers are.
func (r *reader) servers(section string, node ast.Node) {
	if !isMapping(node) {
		r.wrong(section, node, "must be a mapping of settings")
		return
	}
	for _, e := range config.Entries(node) {
		if known, ok := r.known(section, e); ok {
			r.take(known, e)
		}
	}
}

// known finds a setting in the table. An unknown one is a mistake, as it is to Redisson.
func (r *reader) known(section string, e *ast.MappingValueNode) (row, bool) {
	name, path := keyOf(e), ""
	if section != rootSection {
		path = section
	}
	found, ok := table()[section+"."+name]
	before, _, colon := strings.Cut(name, ":")
	_, glued := table()[section+"."+before]
	glued = glued && colon
	switch _, text := e.Key.(*ast.StringNode); {
	case !text:
		r.wrong(path, e.Key, "a key must be a plain text")
		return row{}, false
	case glued: // what follows may be a password
		name = before
	case !ok && (colon || r.spilled(e)):
		r.wrong(path, e.Key, unknownKey)
		return row{}, false
	}
	path = strings.TrimPrefix(path+"."+name, ".")
	switch {
	case glued:
		r.wrong(path, e.Key, gluedKey)
	case !ok:
		r.wrong(path, e.Key, "unknown to every release of Redisson from %s to %s, which refuse the file%s", testedReleases[0], testedReleases[len(testedReleases)-1], didYouMean(name, namesOf(section)))
	case !r.release.has(found):
		r.wrong(path, e.Key, "Redisson %s refuses it: known from %s to %s. Remove it, or name the release that reads this file", r.release, found.first, found.last)
		return row{}, false
	}
	return found, ok
}

// What is said of a key that may be a part of a password.
const (
	gluedKey   = "a colon in a key: write a blank behind it"
	unknownKey = "a key that is unknown; quote values that hold a comma or a colon"
)

// spilled reports whether a key may be the rest of a value that is not quoted, as b is in
// {password: a,b}, or a part of what replaced a variable.
func (r *reader) spilled(e *ast.MappingValueNode) bool {
	at := e.Key.GetToken().Position
	return r.spills || r.variable(at.Line) != "" || withoutColon(e)
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

// take reads the value of a setting.
func (r *reader) take(known row, e *ast.MappingValueNode) {
	s := &setting{row: known, node: e.Value}
	if known.section != rootSection {
		s.note.Setting = known.section + "." + known.name
	} else {
		s.note.Setting = known.name
	}
	s.note.At = config.At(r.src.File, e.Key.GetToken())
	if err := s.read(); err != "" {
		r.errs = append(r.errs, &fault.ConfigError{Field: s.note.Setting, Origin: s.note.At, Value: s.note.Value, Reason: err})
		return
	}
	if v := r.variable(e.Key.GetToken().Position.Line); v != "" && !r.spills {
		s.note.Why = "from " + v
	}
	if other := r.byName[known.name]; other != nil && !other.null {
		if !s.null && s.text != other.text {
			r.wrong(s.note.Setting, e.Key, "%s (%s) says something else: use one of the two", other.note.Setting, other.note.At)
		}
		if s.null {
			r.settings = append(r.settings, s)
			return
		}
	}
	r.settings = append(r.settings, s)
	r.byName[known.name] = s
}

// wrong notes a mistake.
func (r *reader) wrong(path string, at ast.Node, format string, args ...any) {
	r.errs = append(r.errs, &fault.ConfigError{
		Field: codecs.Printable(path, maxShown), Origin: config.At(r.src.File, at.GetToken()), Reason: fmt.Sprintf(format, args...),
	})
}

func didYouMean(name string, known []string) string {
	if meant := config.Nearest(name, known); meant != "" {
		return "; did you mean " + meant + "?"
	}
	return "; remove it"
}
