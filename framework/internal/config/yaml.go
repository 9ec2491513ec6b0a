package config

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"

	"github.com/duequeue/duequeue/framework/fault"
)

// readYAML sets the fields that the document names. It walks the syntax tree itself, so
// that every mistake is found in one go and carries its line. It returns a mistake where
// the text is not YAML of the expected outline at all.
func (r *Reading) readYAML(into any, source []byte, section string) *fault.ConfigError {
	docs, err := Documents(r.file, source)
	if err != nil {
		return err
	}
	if len(docs) == 0 && section == "" {
		return nil
	}
	if len(docs) == 0 {
		return &fault.ConfigError{Origin: r.file, Reason: "the file is empty: it has no section " + section}
	}
	if len(docs) > 1 {
		return &fault.ConfigError{Origin: At(r.file, docs[1].GetToken()), Reason: "a second YAML document: put everything into one"}
	}
	node, missing := sectionOf(docs[0], section)
	if missing != "" {
		return &fault.ConfigError{Origin: r.file, Reason: missing}
	}
	w := yamlWalk{Reading: r, section: section, fields: map[string]field{}}
	for _, f := range fieldsOf(into) {
		w.fields[f.path] = f
	}
	w.mapping("", node)
	return nil
}

// sectionOf returns the part of a document that a dotted path names, or what is missing.
func sectionOf(node ast.Node, path string) (part ast.Node, missing string) {
	if path == "" {
		return node, ""
	}
	for key := range strings.SplitSeq(path, ".") {
		var found ast.Node
		var known []string
		for _, e := range Entries(node) {
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

// Entries returns the entries of a mapping, none of any other node.
func Entries(node ast.Node) []*ast.MappingValueNode {
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
	*Reading

	section string // that is read
	fields  map[string]field
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
	for _, e := range Entries(node) {
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
		if key == "singleServerConfig" || strings.HasSuffix(key, "ServersConfig") {
			w.wrong(path, e.Key, "a setting of Redisson's: framework.LoadRedisson reads such a file, and \"duequeue config -redisson FILE\" makes one of ours")
			continue
		}
		if prefix == "" && !w.hasSettings(node) {
			if part := w.settingsIn(key, e.Value, 0); part != "" {
				w.wrong(path, e.Key, "the settings stand under %q: read them with framework.Section(%q)", part, w.in(part))
				w.errs[len(w.errs)-1].Section = w.in(part)
				continue
			}
		}
		known := w.below(prefix)
		w.wrong(path, e.Key, "unknown key%s (known here: %s)", didYouMean(key, known), strings.Join(known, ", "))
	}
}

// maxSections is how deep settings are looked for in a file that is read without its section.
const maxSections = 4

// settingsIn returns the section below a key that has settings, "" where there is none.
func (w *yamlWalk) settingsIn(path string, node ast.Node, depth int) string {
	if w.hasSettings(node) {
		return path
	}
	for _, e := range Entries(node) {
		key := e.Key.GetToken().Value
		if strings.ContainsAny(key, ".:") || depth == maxSections { // a colon: what follows may be a password
			continue
		}
		if found := w.settingsIn(path+"."+key, e.Value, depth+1); found != "" {
			return found
		}
	}
	return ""
}

// hasSettings reports whether most keys of a mapping are those of the first level: other programs may
// have some of them, such as name.
func (w *yamlWalk) hasSettings(node ast.Node) bool {
	known, entries, n := w.below(""), Entries(node), 0
	for _, e := range entries {
		if slices.Contains(known, e.Key.GetToken().Value) {
			n++
		}
	}
	return 2*n > len(entries)
}

// in is a section of the part of the file that is read.
func (w *yamlWalk) in(part string) string {
	if w.section == "" {
		return part
	}
	return w.section + "." + part
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
func (w *yamlWalk) value(f field, node ast.Node) {
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
			s, ok := Scalar(item)
			if !ok {
				w.wrong(f.path, item, "must be a list of plain texts")
				return
			}
			*list = append(*list, s)
		}
		w.Origin[f.path] = At(w.file, node.GetToken())
		return
	default:
		var ok bool
		if text, ok = Scalar(node); !ok {
			w.wrong(f.path, node, "must be a plain value")
			return
		}
	}
	w.set(f, text, At(w.file, node.GetToken()))
}

func (w *yamlWalk) wrong(path string, at ast.Node, format string, args ...any) {
	w.errs = append(w.errs, &fault.ConfigError{
		Field: path, Origin: At(w.file, at.GetToken()), Reason: fmt.Sprintf(format, args...),
	})
}

// Scalar is a scalar as the author wrote it, so that a password of digits or a
// database index need no quotes. Anchors, aliases and tags are no scalars here.
func Scalar(node ast.Node) (string, bool) {
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

// SyntaxError keeps the message and line of a YAML error, but not the excerpt of the
// file that comes with it, nor what the message quotes of it: a password may stand there.
func SyntaxError(file string, err error) *fault.ConfigError {
	var ye yaml.Error
	if errors.As(err, &ye) {
		return &fault.ConfigError{Origin: At(file, ye.GetToken()), Reason: "not valid YAML: " + quotedText.ReplaceAllString(ye.GetMessage(), `"…"`)}
	}
	return &fault.ConfigError{Origin: file, Reason: "not valid YAML"}
}

// quotedText is more than the signs that a message says are missing.
var quotedText = regexp.MustCompile(`(?s)"(?:[^"\\]|\\.){3,}"|'[^']{3,}'`)

// At is a place in a file, as errors name it.
func At(file string, at *token.Token) string {
	if at == nil || at.Position == nil {
		return file
	}
	return fmt.Sprintf("%s:%d", file, at.Position.Line)
}
