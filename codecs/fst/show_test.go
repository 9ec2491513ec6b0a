package fst

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/duequeue/duequeue/codecs/java"
)

// show writes a value in one line, with every shared object once: later places
// name its number.
func show(v any) string {
	s := shower{seen: map[any]int{}}
	s.value(v)
	return s.out.String()
}

// showCommon is show without what only some formats carry: the order of fields,
// ordinals of enums, forms of collections.
func showCommon(v any) string {
	s := shower{seen: map[any]int{}, common: true}
	s.value(v)
	return s.out.String()
}

type shower struct {
	out    strings.Builder
	seen   map[any]int
	common bool
}

func (s *shower) first(v any) bool {
	if n, ok := s.seen[v]; ok {
		fmt.Fprintf(&s.out, "^%d", n)
		return false
	}
	s.seen[v] = len(s.seen)
	return true
}

func short(class string) string {
	for _, prefix := range []string{"java.util.concurrent.atomic.", "java.util.", "java.lang."} {
		class = strings.TrimPrefix(class, prefix)
	}
	return class
}

func (s *shower) value(v any) {
	switch v := v.(type) {
	case nil:
		s.out.WriteString("null")
	case string:
		fmt.Fprintf(&s.out, "%q", v)
	case *java.List:
		if s.first(v) {
			s.list(v)
		}
	case *java.Map:
		if s.first(v) {
			s.mapping(v)
		}
	case *java.Object:
		if s.first(v) {
			s.object(v)
		}
	case java.Enum:
		if s.common {
			v.Ordinal = 0
		}
		fmt.Fprintf(&s.out, "%T(%+v)", v, v)
	case java.BigDecimal:
		fmt.Fprintf(&s.out, "%s", v)
	case java.UUID:
		fmt.Fprintf(&s.out, "%x", v[:])
	case *java.BitSet:
		fmt.Fprintf(&s.out, "BitSet%x", v.Words)
	case int32, bool:
		fmt.Fprint(&s.out, v)
	default:
		fmt.Fprintf(&s.out, "%T(%+v)", v, v)
	}
}

func (s *shower) list(v *java.List) {
	s.out.WriteString(short(v.Class))
	if v.Of != "" {
		s.out.WriteString("<" + v.Of + ">")
	}
	if v.Comparator != nil {
		s.out.WriteString(" by ")
		s.value(v.Comparator)
	}
	s.out.WriteByte('[')
	for i, e := range v.Elements {
		s.comma(i)
		s.value(e)
	}
	s.out.WriteByte(']')
	s.form(v.Form)
}

// form shows the fields of a user's collection class.
func (s *shower) form(v any) {
	if o, ok := v.(*java.Object); ok && !s.common {
		s.out.WriteString(" with ")
		s.object(o)
	}
}

func (s *shower) comma(i int) {
	if i > 0 {
		s.out.WriteString(", ")
	}
}

func (s *shower) mapping(v *java.Map) {
	s.out.WriteString(short(v.Class))
	if v.Of != "" {
		s.out.WriteString("<" + v.Of + ">")
	}
	if v.Comparator != nil {
		s.out.WriteString(" by ")
		s.value(v.Comparator)
	}
	s.out.WriteByte('{')
	for i, e := range v.Entries {
		s.comma(i)
		s.value(e.Key)
		s.out.WriteString(": ")
		s.value(e.Value)
	}
	s.out.WriteByte('}')
	s.form(v.Form)
}

func (s *shower) object(v *java.Object) {
	s.out.WriteString(short(v.Class) + "(")
	fields := v.Fields
	if s.common {
		fields = slices.Clone(fields)
		slices.SortStableFunc(fields, func(a, b java.Field) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Level, b.Level)) })
	}
	for i, f := range fields {
		s.comma(i)
		s.out.WriteString(f.Name + "=")
		s.value(f.Value)
	}
	for _, c := range v.Custom {
		s.out.WriteString(" custom " + short(c.Level) + " ")
		s.list(&java.List{Elements: c.Items})
	}
	s.out.WriteByte(')')
}
