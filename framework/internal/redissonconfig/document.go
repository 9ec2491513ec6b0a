package redissonconfig

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/config"
)

// Bounds of a file. The parser's time grows with the square of the depth and of the number of
// keys, so that a hostile file could keep it busy for minutes.
const (
	maxText  = 128 << 10
	maxFlow  = 50 // brackets that are open at a time
	maxNest  = 20 // signs at the start of a line that open a list, a tag or an anchor
	maxShown = 200

	maxMistakes = 100
)

// document parses a text of Redisson's, with the variables in it replaced.
func (r *reader) document(text []byte) (ast.Node, *fault.ConfigError) {
	resolved, err := r.resolve(text)
	if err != nil {
		return nil, err
	}
	docs, err := r.parse(resolved)
	switch {
	case err != nil:
		return nil, err
	case len(docs) == 0:
		return nil, &fault.ConfigError{Origin: r.src.File, Reason: "the file is empty"}
	case len(docs) > 1:
		return nil, &fault.ConfigError{Origin: config.At(r.src.File, docs[1].GetToken()), Reason: "a second YAML document: Redisson reads one"}
	}
	return docs[0], nil
}

// parse returns the documents of a text, without those that hold nothing.
func (r *reader) parse(text []byte) ([]ast.Node, *fault.ConfigError) {
	if reason := tooMuch(text); reason != "" {
		return nil, &fault.ConfigError{Origin: r.src.File, Reason: reason}
	}
	if json.Valid(text) { // it may be indented by tabs, which YAML may not; strings hold none
		text = bytes.ReplaceAll(text, []byte("\t"), []byte(" "))
	}
	tree, err := parser.ParseBytes(text, 0)
	if err != nil {
		return nil, config.SyntaxError(r.src.File, err)
	}
	var docs []ast.Node
	for _, doc := range tree.Docs {
		if doc.Body != nil && doc.Body.Type() != ast.CommentGroupType {
			docs = append(docs, doc.Body)
		}
	}
	return docs, nil
}

var nesting = regexp.MustCompile(`^\s*(?:(?:[-?:]|[!&][^\s]*)\s+)*`)

// tooMuch says why a text is none that people write.
func tooMuch(text []byte) string {
	if len(text) > maxText {
		return fmt.Sprintf("more than %d KiB: no file of Redisson is that large", maxText>>10)
	}
	if bytes.IndexByte(text, 0) >= 0 {
		return "not valid YAML: it holds a zero byte"
	}
	open := 0
	for line := range bytes.Lines(text) {
		if len(bytes.Fields(nesting.Find(line))) > maxNest {
			return fmt.Sprintf("not a file of Redisson: a line opens more than %d levels", maxNest)
		}
		for _, c := range line {
			switch c {
			case '[', '{':
				open++
			case ']', '}':
				open = max(0, open-1)
			}
			if open > maxFlow {
				return fmt.Sprintf("not a file of Redisson: more than %d brackets are open", maxFlow)
			}
		}
	}
	return ""
}

// variables are what Redisson replaces: its own pattern, where \w is ASCII, and a dot is none
// of the line ends.
var variables = regexp.MustCompile(`\$\{([\w.]+(:-[^\n\r\x{85}\x{2028}\x{2029}]+?)?)\}`)

// resolve replaces ${NAME} and ${NAME:-value} as Redisson does since 3.10: in the text, before
// it is parsed, by the environment. What is not set and has no value stays as it is. Java's
// system properties are not ours to know.
func (r *reader) resolve(text []byte) ([]byte, *fault.ConfigError) {
	r.variable = func(int) string { return "" }
	if r.release.before(release{3, 9, 0}) {
		return text, nil
	}
	original := string(text)
	content := original
	for _, m := range variables.FindAllStringSubmatch(original, -1) {
		name, fallback, hasFallback := splitVariable(m[1])
		value, set := r.env(name)
		switch {
		case set:
			content = strings.ReplaceAll(content, m[0], value)
		case hasFallback:
			content = strings.ReplaceAll(content, m[0], fallback)
		}
		if len(content) > maxText {
			return nil, &fault.ConfigError{Origin: r.src.File, Reason: fmt.Sprintf("more than %d KiB once ${%s} is replaced", maxText>>10, name)}
		}
	}
	lines := strings.Split(original, "\n")
	if strings.Count(content, "\n") != len(lines)-1 {
		r.spills = true
	} else {
		r.variable = func(line int) string {
			if line < 1 || line > len(lines) {
				return ""
			}
			return strings.Join(names(variables.FindAllStringSubmatch(lines[line-1], -1)), ", ")
		}
	}
	return []byte(content), nil
}

// splitVariable splits as Java does: at each ":-", without empty parts at the end. Redisson
// knows a value only where there are two parts.
func splitVariable(inner string) (name, fallback string, ok bool) {
	parts := strings.Split(inner, ":-")
	for len(parts) > 1 && parts[len(parts)-1] == "" {
		parts = parts[:len(parts)-1]
	}
	if len(parts) == 2 {
		return parts[0], parts[1], true
	}
	return parts[0], "", false
}

func names(found [][]string) []string {
	var out []string
	for _, m := range found {
		name, _, _ := splitVariable(m[1])
		out = append(out, "${"+name+"}")
	}
	return out
}

func (r *reader) env(name string) (string, bool) {
	for _, entry := range r.src.Environ {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value, true
		}
	}
	return "", false
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
