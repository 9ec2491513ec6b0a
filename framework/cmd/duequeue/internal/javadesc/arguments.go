package javadesc

import "github.com/duequeue/duequeue/codecs/java"

// argumentType returns the Go type for a type argument of a generic class. No
// field of the class tells the Java type of what stands there, so the Go type must
// imply it: where the usual one would imply another, the value keeps its class.
func (g *generator) argumentType(c *java.Class, t java.TypeExpr) string {
	if g.implied(t) || g.opts.Text != "" {
		return g.goType(c, t, inField)
	}
	_, holder := holderTypes[t.Class]
	switch elem, isArray := t.Elem(); {
	case isArray && elem.Primitive():
		return "any"
	case isArray || listTypes[t.Class]:
		return "*java.List"
	case mapTypes[t.Class]:
		return "*java.Map"
	case holder:
		return "*java.Object"
	case t.Class == "java.time.Instant":
		return "*java.Instant"
	case timeTypes[t.Class]:
		return "*java.Date"
	}
	return "any"
}

// implied reports whether the usual Go type for t leads back to t, or to a class
// that can stand for it.
func (g *generator) implied(t java.TypeExpr) bool {
	switch _, holder := holderTypes[t.Class]; {
	case t.Dims > 0:
		return t.Dims == 1 && t.Class == "byte"
	case holder:
		return false
	case timeTypes[t.Class]:
		return t.Class == "java.util.Date"
	case listTypes[t.Class]:
		return impliedLists[t.Class] && g.implied(argument(t, 0))
	case mapTypes[t.Class]:
		return impliedMaps[t.Class] && g.implied(argument(t, 0)) && g.implied(argument(t, 1))
	}
	return true
}

// What slices and maps are written as, and what those can stand for.
var (
	impliedLists = map[string]bool{
		"java.lang.Iterable": true, "java.util.Collection": true, "java.util.List": true, "java.util.ArrayList": true,
	}
	impliedMaps = map[string]bool{"java.util.Map": true, "java.util.HashMap": true}
)
