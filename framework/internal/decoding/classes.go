package decoding

import (
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/catalog"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/java/classfile"
)

// userClasses gives codecs the classes of a jar that payloads turn out to hold, with all
// these refer to: a large jar is not read whole for one order.
type userClasses struct {
	opts   catalog.Options
	source *classfile.Source // nil without classes

	mu     sync.Mutex
	loaded map[string]bool
	list   []*java.Class
	hooks  []string // of these, those that take part in their own serialization, for fst
	grown  int      // how often the list has grown
	built  map[string]codecs.Codec
}

// codec returns the codec of that name for the classes loaded so far, and how often these
// have grown.
func (u *userClasses) codec(name string) (codecs.Codec, int, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if c, ok := u.built[name]; ok {
		return c, u.grown, nil
	}
	set, err := java.NewClasses(u.list...)
	if err != nil {
		return nil, 0, err
	}
	opts := u.opts
	if set.Len() > 0 {
		opts.Classes = set
	}
	if strings.Contains(catalog.Canonical(name), "fst") {
		opts.Hooks = append(slices.Clone(opts.Hooks), u.hooks...)
	}
	c, err := catalog.FindWith(name, opts)
	if err != nil {
		return nil, 0, err
	}
	u.built[name] = c
	return c, u.grown, nil
}

// probe reports a codec that no class would help, before there is one.
func (u *userClasses) probe(name string) error {
	if u.source == nil {
		return nil
	}
	one, err := java.NewClasses(&java.Class{Name: "any"})
	if err != nil {
		return err
	}
	opts := u.opts
	opts.Classes = one
	_, err = catalog.FindWith(name, opts)
	return err
}

// add loads classes, and reports whether there are more than there were by the given count.
// Names that the source does not have are left out.
func (u *userClasses) add(count int, names ...string) (bool, error) {
	if u.source == nil {
		return false, nil
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.grown > count {
		return true, nil // by what another payload holds
	}
	names = slices.DeleteFunc(slices.Clone(names), func(n string) bool { return u.loaded[n] || !u.source.Has(n) })
	if len(names) == 0 {
		return false, nil
	}
	reach, err := u.source.Reach(nil, names...)
	if err != nil {
		return false, err
	}
	for _, n := range names {
		u.loaded[n] = true // the class of an enum constant is not in the list
	}
	for _, c := range reach.Classes {
		if !slices.ContainsFunc(u.list, func(have *java.Class) bool { return have.Name == c.Name }) {
			u.loaded[c.Name] = true
			u.list = append(u.list, c)
			u.grown++
			if err := u.hook(c.Name); err != nil {
				return false, err
			}
		}
	}
	if u.grown > count {
		clear(u.built)
	}
	return u.grown > count, nil
}

// hook notes a class that takes part in its own serialization.
func (u *userClasses) hook(name string) error {
	f, err := u.source.File(name)
	if err != nil {
		return err
	}
	for _, method := range []string{"writeObject", "readObject", "writeReplace", "readResolve"} {
		if f.Method(method) != nil {
			u.hooks = append(u.hooks, name)
			return nil
		}
	}
	return nil
}

// beansOf returns the classes of the beans within a value, each once.
func beansOf(v any) []string {
	seen := map[string]bool{}
	var names []string
	stack := []any{v}
	for len(stack) > 0 {
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		switch v := v.(type) {
		case *java.Map:
			for _, e := range v.Entries {
				stack = append(stack, e.Value)
			}
		case *java.List:
			stack = append(stack, v.Elements...)
		case *java.Object:
			if v.Class != "" && !seen[v.Class] {
				seen[v.Class] = true
				names = append(names, v.Class)
			}
			for _, f := range v.Fields {
				stack = append(stack, f.Value)
			}
		}
	}
	return names
}

// explain adds to an error about a class that it is not in the jar, and what there is
// instead.
func (u *userClasses) explain(err error, name string) error {
	var e *codecs.DecodeError
	if classfile.OfJDK(name) || u.source.Has(name) || !errors.As(err, &e) {
		return err
	}
	_, notFound := u.source.File(name)
	explained := *e
	explained.Err = errors.Join(e.Err, notFound)
	return &explained
}
