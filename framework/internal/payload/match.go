package payload

import "github.com/duequeue/duequeue/codecs/java"

// Bounds of one search in a payload.
const (
	maxMatchDepth  = 64
	maxMatchValues = 10_000
)

// Match looks for a value with the given text at one of the paths, and returns the path.
// Numbers, enum constants, UUIDs and times match as they are shown. A payload of which no
// field matches in its first 10,000 values does not match.
func (f Fields) Match(v any, text string) (path string, ok bool) {
	s := &seeker{text: text, left: maxMatchValues}
	if f.root.empty() {
		return "", false
	}
	return s.seek(lowered(v), f.root, "", 0)
}

// seeker is one search.
type seeker struct {
	text string
	left int
}

func (s *seeker) seek(v any, b *branch, path string, depth int) (string, bool) {
	if s.left--; s.left < 0 || depth > maxMatchDepth || b.empty() {
		return "", false
	}
	if value, _, ok := held(v); ok {
		v = value
	}
	switch v := v.(type) {
	case *java.Map:
		if v != nil {
			for _, e := range v.Entries {
				name, _ := e.Key.(string)
				if p, ok := s.seek(e.Value, b.of(name), join(path, name), depth+1); ok {
					return p, true
				}
			}
		}
		return "", false
	case *java.List:
		if v != nil {
			for _, e := range v.Elements {
				if p, ok := s.seek(e, b, path, depth+1); ok {
					return p, true
				}
			}
		}
		return "", false
	case *java.Object:
		if v != nil {
			for _, f := range v.Fields {
				if p, ok := s.seek(f.Value, b.of(f.Name), join(path, f.Name), depth+1); ok {
					return p, true
				}
			}
		}
		return "", false
	case string:
		return path, b.whole() && v == s.text
	case nil:
		return "", false
	}
	if !b.whole() {
		return "", false
	}
	_, text := textOf(v)
	return path, text == s.text
}
