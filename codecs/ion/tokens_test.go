package ion

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/internal/databind/databindtest"
	"github.com/duequeue/duequeue/codecs/internal/token"
)

// tokensOf returns the tokens of a payload as integration/java/src/vectors/ion/IonTokens.java prints them.
func tokensOf(payload []byte) (string, error) {
	tape, err := databindtest.Tape(Jackson(), payload, codecs.Limits{})
	if err != nil {
		return "", err
	}
	var out strings.Builder
	showToken(&out, tape, 0)
	return out.String(), nil
}

func showToken(out *strings.Builder, t *token.Tape, i int) {
	k := &t.Tokens[i]
	if class := t.Class(k); k.Type != 0 {
		out.WriteString(showText(class) + "::")
	}
	switch k.Kind {
	case token.Null:
		out.WriteString("null")
	case token.Bool:
		fmt.Fprint(out, k.Bool())
	case token.Int:
		fmt.Fprint(out, k.Int())
	case token.Big:
		fmt.Fprint(out, t.Big(k))
	case token.Float:
		f := t.Float(k)
		if math.IsNaN(f) {
			f = math.Float64frombits(0x7ff8000000000000)
		}
		fmt.Fprintf(out, "double(%x)", math.Float64bits(f))
	case token.Decimal:
		d := t.Decimal(k)
		fmt.Fprintf(out, "decimal(%s,%d)", d.Unscaled, d.Scale)
	case token.String:
		if k.Flags&token.FlagLiteral != 0 {
			fmt.Fprintf(out, "timestamp(%s)", strings.ReplaceAll(string(t.Text(k)), "+00:00", "Z"))
			return
		}
		out.WriteString(showText(string(t.Text(k))))
	case token.Bytes:
		fmt.Fprintf(out, "bytes(%x)", t.Text(k))
	case token.Array:
		out.WriteString("[ ")
		for e := i + 1; e < int(k.Next); e = int(t.Tokens[e].Next) {
			showToken(out, t, e)
			out.WriteByte(' ')
		}
		out.WriteString("]")
	case token.Object:
		out.WriteString("{ ")
		for e := i + 1; e < int(k.Next); e = int(t.Tokens[e+1].Next) {
			out.WriteString(showText(string(t.Text(&t.Tokens[e]))) + "=")
			showToken(out, t, e+1)
			out.WriteByte(' ')
		}
		out.WriteString("}")
	default:
		fmt.Fprintf(out, "kind %d", k.Kind)
	}
}

func showText(s string) string {
	var out strings.Builder
	for _, u := range utf16.Encode([]rune(s)) {
		if u > ' ' && u < 127 && u != '"' {
			out.WriteByte(byte(u))
		} else {
			fmt.Fprintf(&out, `\u%04x`, u)
		}
	}
	return `"` + out.String() + `"`
}

// stricter are texts that Java reads and this package refuses, with the reason.
var stricter = map[string]string{
	"\xe0\x01\x00\xea\x21\x05":                   "binary Ion",
	`{{AQ==AQ==}}`:                               "not base64 with its padding",
	`$ion_symbol_table::{symbols:["x","y"]} $10`: "a symbol table",
	`$ion_symbol_table::{symbols:["java.util.ArrayList","y"]} $10::[$11]`: "a symbol table",
}

// TestTokens: each text is what Jackson's Ion parser makes of it, or an error for
// both.
func TestTokens(t *testing.T) {
	refused, rows := 0, codectest.Rows(t, "testdata/tokens.tsv")
	for _, row := range rows {
		payload, want := codectest.FromHex(t, row[0]), row[1]
		got, err := tokensOf(payload)
		if reason, ok := stricter[string(payload)]; ok {
			refused++
			if err == nil || !strings.Contains(err.Error(), reason) {
				t.Errorf("%s: %s, %v, want an error: %s", payload, got, err, reason)
			}
			continue
		}
		if err != nil {
			codectest.Refused(t, Jackson(), payload, err)
			got = "error"
		}
		if got != want {
			t.Errorf("%s (%x):\n%s, %v, Java has\n%s", payload, payload, got, err, want)
		}
	}
	if len(rows) < 300 || refused != len(stricter) {
		t.Errorf("%d texts, %d of %d refused ones", len(rows), refused, len(stricter))
	}
}
