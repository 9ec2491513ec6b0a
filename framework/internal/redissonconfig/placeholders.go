package redissonconfig

import (
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework/internal/config"
)

var placeholder = regexp.MustCompile(`\$\{[^}]*\}`)

// holdsVariable reports whether a variable was not replaced: Spring's may have any name.
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

// defaultsIn says which defaults a value has got.
func (s *spring) defaultsIn(node ast.Node) string {
	p := replacing{spring: s}
	if list, ok := node.(*ast.SequenceNode); ok {
		for _, item := range list.Values {
			text, _ := config.Scalar(item)
			p.text(text, 0)
		}
	}
	text, _ := config.Scalar(node)
	p.text(text, 0)
	if len(p.defaults) == 0 {
		return ""
	}
	return "the default of " + codecs.Printable(strings.Join(slices.Compact(p.defaults), ", "), maxShown) + " is taken"
}
