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

// printer shows a value as an indented tree. Classes follow in parentheses
// where the text does not imply them.
type printer struct{ out bytes.Buffer }

func (p *printer) value(v any, depth int) {
	if depth > maxPrintDepth {
		p.out.WriteString("…")
		return
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
	for _, f := range o.Fields {
		p.indent(depth + 1)
		p.out.WriteString(clean(f.Name) + ": ")
		p.value(f.Value, depth+1)
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
