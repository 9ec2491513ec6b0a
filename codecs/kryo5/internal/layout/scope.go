package layout

import "github.com/duequeue/duequeue/codecs/internal/jdk"

// Scope is Kryo's stack of bound type variables while one payload is read or
// written. It is dynamic: a bean without type arguments still sees what any bean
// around it has bound. The zero value is ready for use by one goroutine.
type Scope struct {
	find  Finder
	bound []binding
}

type binding struct {
	variable, class string
}

// Reset empties the scope for a new payload; find describes classes.
func (s *Scope) Reset(find Finder) {
	s.find, s.bound = find, s.bound[:0]
}

// Enter binds the type parameters of b to the arguments of the context and
// returns the mark that Leave takes back. It must be called for every bean, and
// for records with a nil context or not at all.
func (s *Scope) Enter(b *Bean, ctx *Type) int {
	mark := len(s.bound)
	if ctx == nil || len(b.vars) == 0 || len(ctx.Args) < b.params || len(ctx.Args) > len(b.counts) {
		return mark
	}
	next := 0
	for i, arg := range ctx.Args {
		class := s.Class(arg)
		if class == "" {
			continue // Kryo's quirk: the next argument takes the group of this one
		}
		for end := min(next+b.counts[i], len(b.vars)); next < end; next++ {
			s.bound = append(s.bound, binding{b.vars[next], class})
		}
	}
	return mark
}

// Leave undoes what Enter bound.
func (s *Scope) Leave(mark int) { s.bound = s.bound[:mark] }

// Class returns the class of t, and "" for a type variable that is not bound.
func (s *Scope) Class(t *Type) string {
	if t.Class != "" {
		return t.Class
	}
	for i := len(s.bound) - 1; i >= 0; i-- {
		if s.bound[i].variable == t.Var {
			return s.bound[i].class
		}
	}
	return ""
}

// Field returns the class of a field's value where the payload leaves it out, and
// "" where the value is written with its class. It is "" for primitives too.
func (s *Scope) Field(f *Field) string {
	switch {
	case f.Form == Primitive:
		return ""
	case f.Form != Open:
		return f.Class
	case f.Type == nil || f.Type.Var == "":
		return ""
	}
	class := s.known(f.Type)
	if class != "" && f.Type.Array {
		class = jdk.ArrayName(class, 1)
	}
	return class
}

// known returns the class of t where it is final, else "".
func (s *Scope) known(t *Type) string {
	class := s.Class(t)
	if class == "" || !Final(class, s.find) {
		return ""
	}
	return class
}

// Element returns, for a collection with context ctx, the class of its elements
// where the payload leaves it out, else "", and the context of the elements.
func (s *Scope) Element(ctx *Type) (known string, elem *Type) {
	if ctx == nil || len(ctx.Args) == 0 {
		return "", nil
	}
	return s.known(ctx.Args[0]), ctx.Args[len(ctx.Args)-1]
}

// Entries says how the keys and values of a map are written.
type Entries struct {
	Key, Value       string // class where the payload leaves it out, else ""
	KeyCtx, ValueCtx *Type
}

// Entry returns how a map with context ctx is written. It is false where Java
// cannot write such a map: the declared type has one type argument.
func (s *Scope) Entry(ctx *Type) (Entries, bool) {
	if ctx == nil || len(ctx.Args) == 0 {
		return Entries{}, true
	}
	if len(ctx.Args) == 1 {
		return Entries{}, false
	}
	return Entries{
		Key: s.known(ctx.Args[0]), Value: s.known(ctx.Args[1]),
		KeyCtx: ctx.Args[0], ValueCtx: ctx.Args[len(ctx.Args)-1],
	}, true
}
