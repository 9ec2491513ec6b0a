package framework

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// LoadConfig reads the YAML file at path, then lets the environment override it, then
// validates the result. An empty path means the environment alone. [Section] reads a part of a
// larger file, [EnvPrefix] names the variables otherwise. All mistakes are
// returned together as [ConfigErrors], with file and line or the variable's name:
// wrong values, unknown keys, misspelt DUEQUEUE_ variables, contradictions.
//
// A DUEQUEUE_ variable that resembles none of ours is a warning in the log of [Open], and
// belongs to the mistakes where there are others: what is missing may stand in it. Those
// that Kubernetes sets for a Service named duequeue are left alone.
func LoadConfig(path string, opts ...LoadOption) (Config, error) {
	o := loadOptions{prefix: DefaultEnvPrefix}
	for _, opt := range opts {
		if opt != nil {
			opt.applyLoad(&o)
		}
	}
	var source []byte
	if path != "" {
		var err error
		if source, err = os.ReadFile(path); err != nil {
			return Config{}, ConfigErrors{{Origin: path, Reason: "the file cannot be read", Err: err}}
		}
		path = filepath.Base(path)
	}
	return loadConfig(path, source, os.Environ(), o)
}

// loadConfig is LoadConfig without the outer world.
func loadConfig(file string, source []byte, environ []string, o loadOptions) (Config, error) {
	if errs := o.mistakes(file); len(errs) > 0 {
		return Config{}, errs
	}
	var cfg Config
	errs, whole := readYAML(&cfg, file, source, o.section)
	if !whole {
		return Config{}, errs // what the rest of the file says is unknown
	}
	errs = append(errs, readEnv(&cfg, environ, o.prefix)...)
	bad := map[string]bool{} // a field that could not be read is reported once
	for _, e := range errs {
		bad[e.Field] = true
	}
	for _, e := range cfg.mistakes() {
		if !bad[e.Field] {
			errs = append(errs, e)
		}
	}
	if len(errs) > 0 {
		for _, name := range cfg.unknown {
			errs = append(errs, unknownVariable(name, ", which is ignored"))
		}
		slices.SortStableFunc(errs, func(a, b *ConfigError) int { return cmp.Compare(a.place(file), b.place(file)) })
		return Config{}, errs
	}
	return cfg, nil
}

// place orders mistakes as a reader works through them: the file's by line, then the
// environment's, then what is missing.
func (e *ConfigError) place(file string) int {
	if line, ok := strings.CutPrefix(e.Origin, file+":"); ok {
		if n, err := strconv.Atoi(line); err == nil {
			return n
		}
	}
	if e.Origin != "" {
		return math.MaxInt - 1
	}
	return math.MaxInt
}

// readYAML sets the fields of cfg that the document names. It walks the syntax tree
// itself, so that every mistake is found in one go and carries its line. The second
// result is false when the text is not YAML of the expected outline at all.
func readYAML(cfg *Config, file string, source []byte, section string) (ConfigErrors, bool) {
	tree, err := parser.ParseBytes(source, 0)
	if err != nil {
		return ConfigErrors{syntaxError(file, err)}, false
	}
	var docs []ast.Node
	for _, doc := range tree.Docs {
		if doc.Body != nil && doc.Body.Type() != ast.CommentGroupType {
			docs = append(docs, doc.Body)
		}
	}
	if len(docs) == 0 && section == "" {
		return nil, true
	}
	if len(docs) == 0 {
		return ConfigErrors{{Origin: file, Reason: "the file is empty: it has no section " + section}}, false
	}
	if len(docs) > 1 {
		return ConfigErrors{{Origin: origin(file, docs[1].GetToken()), Reason: "a second YAML document: put everything into one"}}, false
	}
	w := yamlWalk{cfg: cfg, file: file, fields: map[string]configField{}}
	for _, f := range configFields(cfg) {
		w.fields[f.path] = f
	}
	node, missing := sectionOf(docs[0], section)
	if missing != "" {
		return ConfigErrors{{Origin: file, Reason: missing}}, false
	}
	w.mapping("", node)
	return w.errs, true
}

// sectionOf returns the part of a document that a dotted path names, or what is missing.
func sectionOf(node ast.Node, path string) (part ast.Node, missing string) {
	if path == "" {
		return node, ""
	}
	for key := range strings.SplitSeq(path, ".") {
		var found ast.Node
		var known []string
		for _, e := range entriesOf(node) {
			if name := e.Key.GetToken().Value; name == key {
				found = e.Value
			} else {
				known = append(known, name)
			}
		}
		if found == nil {
			return nil, fmt.Sprintf("the file has no section %s: %q is missing%s", path, key, didYouMean(key, known))
		}
		node = found
	}
	return node, ""
}

// entriesOf returns the entries of a mapping, none of any other node.
func entriesOf(node ast.Node) []*ast.MappingValueNode {
	switch n := node.(type) {
	case *ast.MappingNode:
		return n.Values
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{n}
	}
	return nil
}

// yamlWalk carries what the walk over one document needs.
type yamlWalk struct {
	cfg    *Config
	file   string
	fields map[string]configField
	errs   ConfigErrors
}

// mapping reads the keys of one level; prefix is "" or ends with a dot.
func (w *yamlWalk) mapping(prefix string, node ast.Node) {
	switch node.(type) {
	case *ast.MappingNode, *ast.MappingValueNode:
	case *ast.NullNode:
		return
	default:
		w.wrong(strings.TrimSuffix(prefix, "."), node, "must be a mapping of keys to values")
		return
	}
	for _, e := range entriesOf(node) {
		key := e.Key.GetToken().Value
		path := prefix + key
		if f, ok := w.fields[path]; ok {
			w.value(f, e.Value)
			continue
		}
		if len(w.below(path+".")) > 0 {
			w.mapping(path+".", e.Value)
			continue
		}
		if name, _, glued := strings.Cut(key, ":"); glued { // what follows may be a password
			w.wrong(prefix+name, e.Key, "a colon in a key: write a blank behind it, as in lease: 30s")
			continue
		}
		known := w.below(prefix)
		w.wrong(path, e.Key, "unknown key%s (known here: %s)", didYouMean(key, known), strings.Join(known, ", "))
	}
}

// below lists the keys that may follow prefix.
func (w *yamlWalk) below(prefix string) []string {
	var keys []string
	for path := range w.fields {
		if rest, ok := strings.CutPrefix(path, prefix); ok {
			key, _, _ := strings.Cut(rest, ".")
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// value sets one field.
func (w *yamlWalk) value(f configField, node ast.Node) {
	var text string
	switch n := node.(type) {
	case *ast.NullNode:
		return
	case *ast.SequenceNode:
		list, isList := f.value.Addr().Interface().(*[]string)
		if !isList {
			w.wrong(f.path, node, "must be a single value, not a list")
			return
		}
		for _, item := range n.Values {
			s, ok := scalarText(item)
			if !ok {
				w.wrong(f.path, item, "must be a list of plain texts")
				return
			}
			*list = append(*list, s)
		}
		w.cfg.cameFrom(f.path, origin(w.file, node.GetToken()))
		return
	default:
		var ok bool
		if text, ok = scalarText(node); !ok {
			w.wrong(f.path, node, "must be a plain value")
			return
		}
	}
	if err := f.set(text); err != nil {
		w.errs = append(w.errs, &ConfigError{
			Field: f.path, Origin: origin(w.file, node.GetToken()), Value: f.show(text), Reason: err.Error(),
		})
		return
	}
	w.cfg.cameFrom(f.path, origin(w.file, node.GetToken()))
}

func (w *yamlWalk) wrong(path string, at ast.Node, format string, args ...any) {
	w.errs = append(w.errs, &ConfigError{
		Field: path, Origin: origin(w.file, at.GetToken()), Reason: fmt.Sprintf(format, args...),
	})
}

// scalarText is a scalar as the author wrote it, so that a password of digits or a
// database index need no quotes. Anchors, aliases and tags are no scalars here.
func scalarText(node ast.Node) (string, bool) {
	switch n := node.(type) {
	case *ast.StringNode:
		return n.Value, true
	case *ast.LiteralNode:
		return strings.TrimSuffix(n.Value.Value, "\n"), true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return node.GetToken().Value, true
	default:
		return "", false
	}
}

// syntaxError keeps the message and line of a YAML error, but not the excerpt of the
// file that comes with it: a password may stand there.
func syntaxError(file string, err error) *ConfigError {
	var ye yaml.Error
	if errors.As(err, &ye) {
		return &ConfigError{Origin: origin(file, ye.GetToken()), Reason: "not valid YAML: " + ye.GetMessage()}
	}
	return &ConfigError{Origin: file, Reason: "not valid YAML"}
}

func origin(file string, at *token.Token) string {
	if at == nil || at.Position == nil {
		return file
	}
	return fmt.Sprintf("%s:%d", file, at.Position.Line)
}
