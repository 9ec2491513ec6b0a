package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/duequeue/duequeue/codecs/jackson"
	"github.com/duequeue/duequeue/codecs/java"
)

// maxPrintDepth bounds what is shown to people.
const maxPrintDepth = 100

// maxPrinted bounds the lines of one value.
const maxPrinted = 1 << 20

// printer shows a value as an indented tree. Classes follow in parentheses
// where the text does not imply them. An object that stands in several places, or
// within itself, has a number there and is shown once.
type printer struct {
	out     bytes.Buffer
	numbers map[any]int // of shared objects, 0 until they are shown
	shown   int         // of those
	lines   int
}

func newPrinter(v any) *printer {
	p := &printer{numbers: map[any]int{}}
	p.findShared(v, map[any]bool{})
	return p
}

// findShared notes the objects that are met more than once. Each is followed once,
// so the time is linear; the stack grows on the heap, since nesting has no bound here.
func (p *printer) findShared(root any, seen map[any]bool) {
	stack := []any{root}
	for len(stack) > 0 {
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		var inner []any
		switch v := v.(type) {
		case *java.Map:
			for _, e := range v.Entries {
				inner = append(inner, e.Key, e.Value)
			}
		case *java.List:
			inner = v.Elements
		case *java.Object:
			for _, f := range v.Fields {
				inner = append(inner, f.Value)
			}
			for _, c := range v.Custom {
				inner = append(inner, c.Items...)
			}
		default:
			continue
		}
		if seen[v] {
			p.numbers[v] = 0
			continue
		}
		seen[v] = true
		stack = append(stack, inner...)
	}
}

// again writes the number of an object that was shown before, and reports whether
// that is all there is to write.
func (p *printer) again(v any) bool {
	n, shared := p.numbers[v]
	if !shared {
		return false
	}
	if n > 0 {
		fmt.Fprintf(&p.out, "see #%d", n)
		return true
	}
	p.shown++
	p.numbers[v] = p.shown
	fmt.Fprintf(&p.out, "#%d ", p.shown)
	return false
}

func (p *printer) value(v any, depth int) {
	if depth > maxPrintDepth || p.lines > maxPrinted {
		p.out.WriteString("…")
		return
	}
	switch v := v.(type) {
	case *java.Map, *java.List, *java.Object:
		if p.again(v) {
			return
		}
	}
	switch v := v.(type) {
	case *java.Map:
		p.header(v.Class, len(v.Entries), "entry", "entries")
		for _, e := range v.Entries {
			p.indent(depth + 1)
			p.value(e.Key, depth+1)
			p.out.WriteString(": ")
			p.value(e.Value, depth+1)
		}
	case *java.List:
		p.header(v.Class, len(v.Elements), "element", "elements")
		for _, e := range v.Elements {
			p.indent(depth + 1)
			p.out.WriteString("- ")
			p.value(e, depth+1)
		}
	case *java.Object:
		p.object(v, depth)
	default:
		p.scalar(v)
	}
}

func (p *printer) object(o *java.Object, depth int) {
	if v, ok := jackson.ScalarValue(o); ok {
		p.value(v, depth)
		fmt.Fprintf(&p.out, " (%s)", clean(o.Class))
		return
	}
	p.header(o.Class, len(o.Fields), "field", "fields")
	count := map[string]int{}
	for _, f := range o.Fields {
		count[f.Name]++
	}
	for _, f := range o.Fields {
		p.indent(depth + 1)
		if f.Level != "" && count[f.Name] > 1 {
			p.out.WriteString(clean(f.Level) + ".") // a class and its superclass both have it
		}
		p.out.WriteString(clean(f.Name) + ": ")
		p.value(f.Value, depth+1)
	}
	for _, c := range o.Custom {
		p.indent(depth + 1)
		fmt.Fprintf(&p.out, "beside the fields of %s:", clean(c.Level))
		for _, item := range c.Items {
			p.indent(depth + 2)
			p.out.WriteString("- ")
			p.value(item, depth+2)
		}
	}
}

func (p *printer) header(class string, n int, one, many string) {
	if class == "" || class == jackson.ClassNone {
		class = "(no class)"
	}
	if n != 1 {
		one = many
	}
	fmt.Fprintf(&p.out, "%s, %d %s", clean(class), n, one)
}

func (p *printer) indent(depth int) {
	p.lines++
	p.out.WriteByte('\n')
	p.out.WriteString(strings.Repeat("  ", depth))
}

// scalar writes what java.View shows, with the class behind it.
func (p *printer) scalar(v any) {
	var shown struct {
		Class string          `json:"class"`
		Value json.RawMessage `json:"value"`
	}
	view := java.View(v)
	if len(view) == 0 || view[0] != '{' || json.Unmarshal(view, &shown) != nil {
		p.out.Write(view)
		return
	}
	fmt.Fprintf(&p.out, "%s (%s)", shown.Value, clean(shown.Class))
}

// clean keeps control characters of a hostile payload away from the terminal.
func clean(s string) string {
	q := strconv.Quote(s)
	if q[1:len(q)-1] == s {
		return s
	}
	return q
}
