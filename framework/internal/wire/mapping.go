package wire

import "strings"

// Mapping maps the names of queues to their names in Redis and back, as Redisson's
// NameMapper does by map and unmap.
type Mapping struct{ To, From func(name string) string }

// Affixes returns the mapping that puts a prefix and a suffix around each name.
func Affixes(prefix, suffix string) Mapping {
	return Mapping{
		To: func(name string) string { return prefix + name + suffix },
		From: func(raw string) string {
			rest, found := strings.CutPrefix(raw, prefix)
			name, also := strings.CutSuffix(rest, suffix)
			if !found || !also {
				return ""
			}
			return name
		},
	}
}

// Own returns the name that is mapped to a name in Redis, or to its [Twin], as searches find
// either. It reports false where there is none.
func (m Mapping) Own(raw string) (name string, ok bool) {
	for {
		if name = m.From(raw); name != "" && m.To(name) == raw {
			return name, true
		}
		twin, has := Twin(raw)
		if !has || strings.HasPrefix(raw, "{") {
			return "", false
		}
		raw = twin
	}
}
