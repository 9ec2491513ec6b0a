package java

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/duequeue/duequeue/codecs/internal/javatext"
)

// string writes s as JSON, with lone surrogates as escapes.
func (w *viewer) string(s string) {
	const hex = "0123456789abcdef"
	w.out = append(w.out, '"')
	for len(s) > 0 {
		r, n := javatext.DecodeRune(s)
		switch {
		case r == '"' || r == '\\':
			w.out = append(w.out, '\\', byte(r))
		case r == '\n':
			w.text(`\n`)
		case r == '\t':
			w.text(`\t`)
		case r < 0x20 || r == 0x7f || r >= 0xd800 && r < 0xe000 || r == 0x2028 || r == 0x2029:
			w.out = append(w.out, '\\', 'u', hex[r>>12&15], hex[r>>8&15], hex[r>>4&15], hex[r&15])
		default:
			w.out = utf8.AppendRune(w.out, r)
		}
		s = s[n:]
	}
	w.out = append(w.out, '"')
}

func (w *viewer) long(v int64) {
	text := strconv.FormatInt(v, 10)
	if v > maxExact || v < -maxExact {
		text = `"` + text + `"`
	}
	w.typed("java.lang.Long", text)
}

func (w *viewer) double(f float64) {
	if !finite(f) {
		w.typed("java.lang.Double", `"`+infinite(f)+`"`)
		return
	}
	text := strconv.FormatFloat(f, 'g', -1, 64)
	if !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	w.text(text)
}

func (w *viewer) float(f float32) {
	if !finite(float64(f)) {
		w.typed("java.lang.Float", `"`+infinite(float64(f))+`"`)
		return
	}
	w.typed("java.lang.Float", strconv.FormatFloat(float64(f), 'g', -1, 32))
}

func infinite(f float64) string {
	switch {
	case math.IsInf(f, 1):
		return "Infinity"
	case math.IsInf(f, -1):
		return "-Infinity"
	}
	return "NaN"
}

func (w *viewer) char(c Char) {
	w.open("java.lang.Character")
	w.charText(c)
	w.close()
}

func (w *viewer) charText(c Char) {
	if c >= 0xd800 && c < 0xe000 {
		w.text(strconv.Itoa(int(c)))
		return
	}
	w.string(string(rune(c)))
}
