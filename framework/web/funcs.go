package web

import (
	"fmt"
	"html/template"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework/internal/payload"
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
	"span":       span,
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
	return span(time.Since(t))
}

// span shows a length of time in its two largest units.
func span(d time.Duration) string {
	if d < 0 {
		d = 0
	}
	switch {
	case d == 0:
		return "0 s"
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%.0f s", math.Floor(d.Seconds()))
	}
	type unit struct {
		name string
		d    time.Duration
	}
	units := []unit{{"d", 24 * time.Hour}, {"h", time.Hour}, {"min", time.Minute}, {"s", time.Second}}
	for i, u := range units {
		if n := d / u.d; n > 0 {
			text := fmt.Sprintf("%d %s", n, u.name)
			if i+1 < len(units) && n < 10 {
				if m := d % u.d / units[i+1].d; m > 0 {
					text += fmt.Sprintf(" %d %s", m, units[i+1].name)
				}
			}
			return text
		}
	}
	return "0 s"
}
