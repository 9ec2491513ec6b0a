package web

import (
	"fmt"
	"html/template"
	"strconv"
	"strings"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework/internal/payload"
	"github.com/duequeue/duequeue/framework/internal/words"
)

// maxShown bounds a text that others wrote.
const maxShown = 2000

// clean makes control characters and marks that turn the direction of text visible.
func clean(text string) string { return codecs.PrintableLines(text, maxShown) }

// funcs are what templates may call.
var funcs = template.FuncMap{
	"clean":      clean,
	"name":       nameTag,
	"shortClass": payload.ShortClass,
	"time":       timeTag,
	"count":      count,
	"age":        age,
	"span":       func(d time.Duration) string { return words.Span(max(d, 0)) },
	"plural": func(n any, one, many string) string {
		if fmt.Sprint(n) == "1" {
			return "1 " + one
		}
		return count(n) + " " + many
	},
}

// nameTag shows the name of a queue, which may go on in another line behind an underscore.
func nameTag(name string) template.HTML {
	return template.HTML(strings.ReplaceAll(template.HTMLEscapeString(clean(name)), "_", "_<wbr>")) //nolint:gosec // it is escaped
}

// timeTag shows a moment in UTC; the script turns it into the viewer's zone, with UTC on hover.
func timeTag(t time.Time) template.HTML {
	if t.IsZero() {
		return `<span class="faint">–</span>`
	}
	t = t.UTC()
	return template.HTML(fmt.Sprintf(`<time datetime="%s">%s UTC</time>`, t.Format("2006-01-02T15:04:05.000Z"), t.Format("2006-01-02 15:04:05"))) //nolint:gosec // of numbers alone
}

// count groups the digits of a number: 1 234 567, with narrow spaces.
func count(n any) string {
	text := fmt.Sprint(n)
	if f, ok := n.(float64); ok {
		text = strconv.FormatFloat(f, 'f', -1, 64)
	}
	digits, rest := text, ""
	if i := strings.IndexAny(text, ".e"); i >= 0 {
		digits, rest = text[:i], text[i:]
	}
	if len(digits) < 5 {
		return text
	}
	var b strings.Builder
	for i, r := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 && digits[i-1] != '-' {
			b.WriteRune('\u202f')
		}
		b.WriteRune(r)
	}
	return b.String() + rest
}

// age is for how long something was, until now.
func age(t time.Time) string {
	if t.IsZero() {
		return "–"
	}
	return words.Span(max(time.Since(t), 0))
}
