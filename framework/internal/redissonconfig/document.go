package redissonconfig

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/config"
)

// Bounds of what is told about a file; those of the file itself are in package config.
const (
	maxShown    = 200
	maxMistakes = 100
)

// document parses a text of Redisson's, with the variables in it replaced.
func (r *reader) document(text []byte) (ast.Node, *fault.ConfigError) {
	resolved, err := r.resolve(text)
	if err != nil {
		return nil, err
	}
	docs, err := config.Documents(r.src.File, resolved)
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
		if len(content) > config.MaxText {
			return nil, &fault.ConfigError{Origin: r.src.File, Reason: fmt.Sprintf("more than %d KiB once ${%s} is replaced", config.MaxText>>10, name)}
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
