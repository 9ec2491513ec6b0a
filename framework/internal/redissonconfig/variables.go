package redissonconfig

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/config"
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

// placeholder is one of Spring's, which may have any name.
var placeholder = regexp.MustCompile(`\$\{[^}]*\}`)

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
		return []byte(content), nil
	}
	r.variable = func(line int) string {
		var names []string
		if line > 0 && line <= len(lines) {
			for _, m := range variables.FindAllStringSubmatch(lines[line-1], -1) {
				name, _, _ := splitVariable(m[1])
				names = append(names, "${"+name+"}")
			}
		}
		return strings.Join(names, ", ")
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

func (r *reader) env(name string) (string, bool) {
	for _, entry := range r.src.Environ {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value, true
		}
	}
	return "", false
}

// unset is what is said of a variable that was not replaced.
const unset = "a variable is not set here, and has no value of its own: set it, or write the value"

// holdsVariable reports whether a variable was not replaced. Redisson would go on with its name.
func (r *reader) holdsVariable(text string) bool {
	return variables.MatchString(text) || r.ofSpring && placeholder.MatchString(text)
}

// replace replaces placeholders as Spring does: ${redis.host:localhost} is the variable
// REDIS_HOST, or redis.host of the same file, or localhost. A default begins behind the
// colon: with a - there, it has it.
func (s *spring) replace(text string) string { return (&replacing{spring: s}).text(text, 0) }

// replacing replaces the placeholders of one text.
type replacing struct {
	*spring
	defaults []string // the placeholders whose default was taken
}

// maxSteps bounds the placeholders of a file, for one may name others many times.
const maxSteps = 10_000

// text replaces from the inside out. What is not known stays as it is.
func (p *replacing) text(text string, depth int) string {
	var out strings.Builder
	for {
		start := strings.Index(text, "${")
		end := placeholderEnd(text, start)
		if p.steps++; end < 0 || depth > config.MaxNest || p.steps > maxSteps || out.Len() > config.MaxText {
			out.WriteString(text)
			return out.String()[:min(out.Len(), config.MaxText+1)] // what is too long is told by whoever reads it
		}
		out.WriteString(text[:start])
		written := text[start+2 : end]
		text = text[end+1:]
		inner := p.text(written, depth+1)
		name, fallback, hasFallback := strings.Cut(inner, ":")
		value, ok := p.property(name)
		switch {
		case ok:
			out.WriteString(p.text(value, depth+1))
		case hasFallback:
			out.WriteString(fallback)
			written, _, _ = strings.Cut(written, ":") // what it stands for may be a password
			p.defaults = append(p.defaults, "${"+codecs.Printable(written, maxShown)+"}")
		default:
			out.WriteString("${" + inner + "}")
		}
	}
}

// placeholderEnd finds the brace that closes the placeholder at start, -1 where none does.
func placeholderEnd(text string, start int) int {
	open := 0
	for i := max(start, 0); start >= 0 && i < len(text); i++ {
		switch text[i] {
		case '{':
			open++
		case '}':
			if open--; open == 0 {
				return i
			}
		}
	}
	return -1
}

// property is a variable, or a setting of the file.
func (s *spring) property(name string) (string, bool) {
	for _, variable := range []string{name, strings.ToUpper(strings.NewReplacer(".", "_", "-", "").Replace(name))} {
		if value, ok := s.env(variable); ok {
			return value, true
		}
	}
	return config.Scalar(s.properties[canonical(name)].node)
}

// defaultsIn says which defaults the texts of a value have got.
func (s *spring) defaultsIn(node ast.Node) string {
	p := replacing{spring: s}
	for _, text := range textsOf(node) {
		p.text(text, 0)
	}
	if len(p.defaults) == 0 {
		return ""
	}
	return "the default of " + codecs.Printable(strings.Join(slices.Compact(p.defaults), ", "), maxShown) + " is taken"
}

// textsOf returns a plain value, or those of a list.
func textsOf(node ast.Node) []string {
	nodes := []ast.Node{node}
	if list, ok := node.(*ast.SequenceNode); ok {
		nodes = list.Values
	}
	texts := make([]string, len(nodes))
	for i, n := range nodes {
		texts[i], _ = config.Scalar(n)
	}
	return texts
}
