package payload

import (
	"math"
	"strings"
	"unicode"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/view"
)

// Bounds of a tree: what lies beyond is left out and counted. Zero fields have the defaults.
type Bounds struct {
	Depth int // levels; defaults to DefaultDepth
	Nodes int // values in all; defaults to DefaultNodes
	Text  int // bytes of one text; defaults to DefaultText
}

// Defaults of [Bounds].
const (
	DefaultDepth = 40
	DefaultNodes = 2000
	DefaultText  = 512
)

// WideBounds are those of a terminal, which shows one payload.
var WideBounds = Bounds{Depth: 100, Nodes: 1 << 20, Text: math.MaxInt}

func (b Bounds) filled() Bounds {
	pick := func(n, def int) int {
		if n <= 0 {
			return def
		}
		return n
	}
	return Bounds{pick(b.Depth, DefaultDepth), pick(b.Nodes, DefaultNodes), pick(b.Text, DefaultText)}
}

// Tree returns what a codec decoded, as a tree in which only the values of visible fields are
// shown. What stands at several places, or within itself, is shown once.
func Tree(v any, visible Fields, b Bounds) *Node {
	g := &grower{bounds: b.filled(), numbers: map[any]int{}}
	g.left = g.bounds.Nodes
	v = lowered(v)
	g.findShared(v)
	return g.node(v, visible.root, "", 0)
}

// lowered returns the Java value of a Go value that is none, and of a text that is JSON what it
// holds.
func lowered(v any) any {
	switch v := v.(type) {
	case string:
		if in, ok := inside(v); ok {
			return in
		}
		return v
	case nil, *java.Map, *java.List, *java.Object:
		return v
	case map[string]any, []any: // which have a class, and parts
	default:
		if java.ClassOf(v) != "" {
			return v
		}
	}
	if out, err := view.Lower(v); err == nil {
		return out
	}
	return v
}

// grower makes one tree.
type grower struct {
	bounds  Bounds
	left    int         // nodes that there may still be
	numbers map[any]int // of containers that stand at several places, 0 until they are shown
	shown   int         // of those
}

// findShared notes the containers that are met more than once. Each is followed once, so
// the time is linear; the stack grows on the heap, since nesting has no bound here.
func (g *grower) findShared(root any) {
	seen := map[any]bool{}
	stack := []any{root}
	for len(stack) > 0 {
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if !container(v) {
			continue
		}
		if seen[v] {
			g.numbers[v] = 0
			continue
		}
		seen[v] = true
		stack = inner(stack, v)
	}
}

// container reports whether a value has parts.
func container(v any) bool {
	switch v := v.(type) {
	case *java.Map:
		return v != nil
	case *java.List:
		return v != nil
	case *java.Object:
		return v != nil
	}
	return false
}

// inner appends the parts of a container.
func inner(to []any, v any) []any {
	switch v := v.(type) {
	case *java.Map:
		for _, e := range v.Entries {
			to = append(to, e.Key, e.Value)
		}
	case *java.List:
		to = append(to, v.Elements...)
	case *java.Object:
		for _, f := range v.Fields {
			to = append(to, f.Value)
		}
		for _, c := range v.Custom {
			to = append(to, c.Items...)
		}
	}
	return to
}

// held returns the value that stands in an object without a name: of a class that package
// java has no Go value for.
func held(v any) (value any, class string, ok bool) {
	o, ok := v.(*java.Object)
	if !ok || o == nil || o.Class == "" || len(o.Fields) != 1 || o.Fields[0].Name != "" {
		return nil, "", false
	}
	return o.Fields[0].Value, o.Class, true
}

func (g *grower) node(v any, visible *branch, path string, depth int) *Node {
	g.left--
	n := &Node{Path: path}
	if depth > g.bounds.Depth {
		n.Kind = KindCut
		return n
	}
	if container(v) && g.again(v, n) {
		return n
	}
	if value, class, ok := held(v); ok && !container(value) {
		g.scalar(n, value, visible)
		n.Class = printable(class)
		return n
	}
	switch v := v.(type) {
	case *java.Map:
		if v != nil {
			g.entries(n, v, visible, depth)
			return n
		}
	case *java.List:
		if v != nil {
			g.elements(n, v, visible, depth)
			return n
		}
	case *java.Object:
		if v != nil {
			g.fields(n, v, visible, depth)
			return n
		}
	default:
		g.scalar(n, v, visible)
		return n
	}
	n.Kind, n.Text = KindNull, "null"
	return n
}

// again numbers what stands at several places, and reports whether it was shown before.
func (g *grower) again(v any, n *Node) bool {
	number, shared := g.numbers[v]
	switch {
	case !shared:
	case number > 0:
		n.Kind, n.Number = KindSee, number
		return true
	default:
		g.shown++
		g.numbers[v], n.Number = g.shown, g.shown
	}
	return false
}

func (g *grower) scalar(n *Node, v any, visible *branch) {
	n.Class = printable(java.ClassOf(v))
	if v == nil || visible.whole() {
		var text string
		n.Kind, text = textOf(v)
		n.Text, n.value = codecs.Printable(text, g.bounds.Text), v
		if len(text) > g.bounds.Text {
			n.long = len(text)
		}
		return
	}
	n.Kind, n.Hidden = kindOf(v), true
}

// kindOf is the kind alone.
func kindOf(v any) Kind {
	switch v := v.(type) {
	case string:
		return KindText
	case []byte, java.Block:
		return KindBytes
	case java.BigDecimal:
		return KindNumber
	default:
		kind, _ := textOf(v)
		return kind
	}
}

// add appends a part, unless the tree is full.
func (g *grower) add(n *Node, grow func() *Node) bool {
	if g.left <= 0 {
		return false
	}
	n.Parts = append(n.Parts, grow())
	return true
}

func (g *grower) entries(n *Node, m *java.Map, visible *branch, depth int) {
	n.Kind, n.Class, n.Of = KindMap, printable(m.Class), len(m.Entries)
	for _, e := range m.Entries {
		if !g.add(n, func() *Node { return g.entry(n, e, visible, depth+1) }) {
			return
		}
	}
}

// entry is one of a map. A key that reads like a name is one; any other may be as secret as
// a value.
func (g *grower) entry(of *Node, e java.Entry, visible *branch, depth int) *Node {
	name, named := e.Key.(string)
	if named = named && likeName(name); !named {
		part := g.node(e.Value, visible.onlyWhole(), of.Path, depth)
		part.Key = g.node(e.Key, visible.onlyWhole(), of.Path, depth)
		return part
	}
	part := g.node(e.Value, visible.of(name), join(of.Path, name), depth)
	part.Name = name
	part.Key = &Node{Name: name, Path: part.Path, Kind: KindText, Class: java.ClassOf(name), Text: name, value: name}
	return part
}

// onlyWhole returns the branch where all of it is meant.
func (b *branch) onlyWhole() *branch {
	if b.whole() {
		return b
	}
	return nil
}

// likeName reports whether a key of a map reads like the name of a field.
func likeName(key string) bool {
	return key != "" && len(key) <= maxName && strings.IndexFunc(key, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_-.$@:/", r)
	}) < 0 && !strings.Contains(key[1:], "@") && !unicode.IsDigit(rune(key[0]))
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func (g *grower) elements(n *Node, l *java.List, visible *branch, depth int) {
	n.Kind, n.Class, n.Of = KindList, printable(l.Class), len(l.Elements)
	for _, e := range l.Elements {
		if !g.add(n, func() *Node { return g.node(e, visible, n.Path, depth+1) }) {
			return
		}
	}
}

func (g *grower) fields(n *Node, o *java.Object, visible *branch, depth int) {
	n.Kind, n.Class, n.Of = KindObject, printable(o.Class), len(o.Fields)
	count := map[string]int{}
	for _, f := range o.Fields {
		count[f.Name]++
	}
	for _, f := range o.Fields {
		ok := g.add(n, func() *Node {
			part := g.node(f.Value, visible.of(f.Name), join(n.Path, printable(f.Name)), depth+1)
			if part.Name = printable(f.Name); f.Level != "" && count[f.Name] > 1 {
				part.Name = printable(f.Level) + "." + part.Name // a class and its superclass both have it
			}
			return part
		})
		if !ok {
			return
		}
	}
	for _, c := range o.Custom {
		if g.left <= 0 {
			return
		}
		beside := &Node{Path: n.Path, Kind: KindList, Class: printable(c.Level), Of: len(c.Items)}
		for _, item := range c.Items {
			if !g.add(beside, func() *Node { return g.node(item, visible.onlyWhole(), n.Path, depth+2) }) {
				break
			}
		}
		n.Beside = append(n.Beside, beside)
	}
}
