package payload

import (
	"strings"

	"github.com/duequeue/duequeue/codecs"
)

// Bounds of a summary, in bytes.
const (
	maxSummary      = 160
	maxSummaryValue = 48
)

// Summary returns one line about a payload for a table: its class and the fields that are
// shown, "Order orderId=4711 customer.name=Ann".
func (n *Node) Summary() string {
	if n == nil {
		return ""
	}
	var b strings.Builder
	if n.Name == "" && n.Path == "" && !n.Container() && !n.Hidden && n.Kind != KindCut {
		return codecs.Printable(n.Text, maxSummary)
	}
	b.WriteString(ShortClass(n.Class))
	n.summarize(&b)
	return b.String()
}

// summarize writes the values within, those of one level before those that lie deeper: so what names a
// message stands in front, whatever the names are. It reports whether there is room for more.
func (n *Node) summarize(b *strings.Builder) bool {
	for _, p := range n.Parts {
		if p.Container() || p.Hidden || p.Kind == KindSee || p.Kind == KindCut || p.Kind == KindNull {
			continue
		}
		text := " " + p.Path + "=" + codecs.Printable(p.Text, maxSummaryValue)
		if b.Len()+len(text) > maxSummary {
			b.WriteString(" …")
			return false
		}
		b.WriteString(text)
	}
	for _, p := range n.Parts {
		if p.Container() && !p.summarize(b) {
			return false
		}
	}
	return true
}

// ShortClass returns a Java class without its package, and without the class around it.
func ShortClass(class string) string {
	if strings.HasPrefix(class, "[") {
		return class
	}
	return class[strings.LastIndexAny(class, ".$")+1:]
}
