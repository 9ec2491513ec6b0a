package databind

import (
	"github.com/duequeue/duequeue/codecs/java"
)

// maxGeneric bounds a type with its arguments: a class may contain itself with more
// of them each time.
const maxGeneric = 1024

// generic describes a class with type arguments as its declaration gives them, nil
// where they say nothing. With Jackson 2 all that could be an argument and is no
// natural value names its class anyway, but for the final classes of the user,
// whose class Java does not mind. With Jackson 3 a Long is bare where it is one.
func (k *describer) generic(c *java.Class, t java.TypeExpr) *bean {
	if k.rules.Jackson != 3 || len(t.Args) != len(c.Params) || len(c.Params) == 0 {
		return nil
	}
	name := t.String()
	if b, ok := k.generics[name]; ok || len(name) > maxGeneric {
		return b
	}
	b := &bean{class: c.Name, byName: map[string]int{}, final: c.Final || c.Kind == java.KindRecord}
	if k.generics == nil {
		k.generics = map[string]*bean{}
	}
	k.generics[name] = b
	args := t.Args
	for level := c; level != nil; level = k.set.Find(level.Super.Class) {
		args = known(level, args)
		for _, f := range level.Fields {
			if _, hidden := b.byName[f.Name]; !hidden {
				b.byName[f.Name] = 0
				b.fields = append(b.fields, beanField{name: f.Name, level: level.Name, declared: k.declare(f.Type.Substitute(level, args), level)})
			}
		}
		if level.Super.IsZero() {
			break
		}
		args = level.Super.Substitute(level, args).Args
	}
	b.order(c.Kind == java.KindRecord && k.rules.keepsOrder())
	return b
}

// known returns args with the variables of c themselves for those that say nothing.
func known(c *java.Class, args []java.TypeExpr) []java.TypeExpr {
	out := make([]java.TypeExpr, len(c.Params))
	for i, p := range c.Params {
		out[i] = java.TypeExpr{Class: p.Name}
		if i < len(args) && args[i].Class != "" {
			out[i] = args[i]
			out[i].Variance = java.Exact
		}
	}
	return out
}
