package redisson

// Mapper turns the name a service uses into the raw name in Redis, as Redisson's
// NameMapper.map does (3.15.4 and later). A nil Mapper changes nothing. The
// prefix rule is applied to the raw name; Redisson never maps the derived keys.
type Mapper func(name string) string

// Raw returns the raw name of name; m may be nil.
func (m Mapper) Raw(name string) string {
	if m == nil {
		return name
	}
	return m(name)
}

// Prefix returns a Mapper that puts p before every name.
func Prefix(p string) Mapper {
	return func(name string) string { return p + name }
}

// Suffix returns a Mapper that puts s after every name.
func Suffix(s string) Mapper {
	return func(name string) string { return name + s }
}
