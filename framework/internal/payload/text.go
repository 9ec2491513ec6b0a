package payload

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/view"
)

// Lines shows the tree to people at a terminal, indented from a depth on. Classes follow in
// parentheses where the text does not imply them. A value that stands at several places has
// a number there and is shown once.
func (n *Node) Lines(depth int) []byte {
	var p printer
	p.node(n, depth)
	return p.out.Bytes()
}

// noClass is what the codecs on Jackson call an array whose class is not named.
const noClass = "[]"

type printer struct{ out bytes.Buffer }

func (p *printer) node(n *Node, depth int) {
	if n.Number > 0 && n.Kind != KindSee {
		fmt.Fprintf(&p.out, "#%d ", n.Number)
	}
	switch n.Kind {
	case KindCut:
		p.out.WriteString("…")
	case KindSee:
		fmt.Fprintf(&p.out, "see #%d", n.Number)
	case KindMap, KindList, KindObject:
		p.container(n, depth)
	default:
		p.scalar(n)
	}
}

func (p *printer) container(n *Node, depth int) {
	one, many := "field", "fields"
	switch n.Kind {
	case KindMap:
		one, many = "entry", "entries"
	case KindList:
		one, many = "element", "elements"
	default:
	}
	p.header(n, one, many)
	for _, part := range n.Parts {
		p.indent(depth + 1)
		switch {
		case part.Key != nil:
			p.node(part.Key, depth+1)
			p.out.WriteString(": ")
		case n.Kind == KindObject:
			p.out.WriteString(part.Name + ": ")
		default:
			p.out.WriteString("- ")
		}
		p.node(part, depth+1)
	}
	if left := n.Left(); left > 0 {
		p.indent(depth + 1)
		fmt.Fprintf(&p.out, "… %d more", left)
	}
	for _, beside := range n.Beside {
		p.indent(depth + 1)
		fmt.Fprintf(&p.out, "beside the fields of %s:", beside.Class)
		for _, item := range beside.Parts {
			p.indent(depth + 2)
			p.out.WriteString("- ")
			p.node(item, depth+2)
		}
	}
}

func (p *printer) header(n *Node, one, many string) {
	class := n.Class
	if class == "" || class == noClass {
		class = "(no class)"
	}
	if n.Of != 1 {
		one = many
	}
	fmt.Fprintf(&p.out, "%s, %d %s", class, n.Of, one)
}

func (p *printer) indent(depth int) {
	p.out.WriteByte('\n')
	p.out.WriteString(strings.Repeat("  ", depth))
}

// scalar writes what view.Of shows, with the class behind it.
func (p *printer) scalar(n *Node) {
	if n.Hidden {
		fmt.Fprintf(&p.out, "hidden (%s)", n.Class)
		return
	}
	if n.long > 0 {
		fmt.Fprintf(&p.out, "%s (its beginning, of %d bytes)", n.Text, n.long)
		return
	}
	var shown struct {
		Class string          `json:"class"`
		Value json.RawMessage `json:"value"`
	}
	view := view.Of(n.value)
	if len(view) == 0 || view[0] != '{' || json.Unmarshal(view, &shown) != nil {
		p.out.Write(view)
	} else {
		fmt.Fprintf(&p.out, "%s (%s)", shown.Value, printable(shown.Class))
	}
	if n.value != nil && n.Class != printable(java.ClassOf(n.value)) {
		fmt.Fprintf(&p.out, " (%s)", n.Class) // of an object that holds the value without a name
	}
}
