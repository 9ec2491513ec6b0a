package smile

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/internal/databind/databindtest"
	"github.com/duequeue/duequeue/codecs/java"
)

// TestPrograms writes what Jackson's own generator wrote: every boundary of texts,
// names, numbers and tables. Java's bytes are read back, too.
func TestPrograms(t *testing.T) {
	all := codectest.Rows(t, "testdata/tokens.tsv")
	if len(all) < 600 {
		t.Fatalf("%d programs", len(all))
	}
	for _, c := range all {
		older := c[1] // what Jackson up to 2.18 wrote
		if len(c) > 2 {
			older = c[2]
		}
		checkProgram(t, c[0], c[1], false)
		checkProgram(t, c[0], older, true)
	}
}

func checkProgram(t *testing.T, program, want string, signed bool) {
	t.Helper()
	words := strings.Split(program, " ")
	var flags byte
	for i, letter := range []string{"n", "v", "r"} {
		if strings.Contains(words[0], letter) {
			flags |= 1 << i
		}
	}
	g := &generator{flags: flags, signed: signed}
	g.Begin([]byte("before"))
	var err error
	for _, w := range words[1:] {
		if err == nil {
			err = step(g, w[:1], w[1:])
		}
	}
	got := bytes.TrimPrefix(g.End(), []byte("before"))
	switch {
	case strings.HasPrefix(want, "WRITEFAIL"):
		if err == nil || !strings.Contains(err.Error(), "surrogate") {
			t.Errorf("%s: Java refuses it, got %x, %v", program, got, err)
		}
		return
	case err != nil:
		t.Errorf("%s: %v", program, err)
		return
	}
	text := fmt.Sprintf("%x", got)
	if len(got) > 400 {
		text = fmt.Sprintf("%d:%x", len(got), sha256.Sum256(got))
	}
	if text != want {
		t.Errorf("%s: %.300s, want %.300s (%.60x)", program, text, want, got)
	}
	tape, err := databindtest.Tape(Jackson3(), got, codecs.Limits{})
	if err != nil {
		t.Errorf("%s: %v", program, err)
		return
	}
	if again := replay(t, g, tape); !bytes.Equal(again, got) {
		t.Errorf("%s: %.300x became %.300x", program, got, again)
	}
}

// step writes the tokens of one word; integration/java/src/vectors/smile/Programs.java does the same.
func step(g *generator, op, arg string) error {
	number := func(base, bits int) uint64 { u, _ := strconv.ParseUint(arg, base, bits); return u }
	switch op {
	case "[":
		g.Array(0)
	case "]":
		g.EndArray()
	case "{":
		return g.Object("", 0)
	case "}":
		g.EndObject()
	case "0":
		g.Null()
	case "t", "u":
		g.Bool(op == "t")
	case "i":
		n, _ := strconv.ParseInt(arg, 10, 64)
		g.Int(n)
	case "f":
		g.Float32(math.Float32frombits(uint32(number(16, 32))))
	case "d":
		g.Float64(math.Float64frombits(number(16, 64)))
	case "n":
		return g.Big(integer(arg))
	case "D":
		unscaled, scale, _ := strings.Cut(arg, ",")
		n, _ := strconv.Atoi(scale)
		return g.Decimal(java.BigDecimal{Unscaled: integer(unscaled), Scale: int32(n)})
	case "b":
		b := make([]byte, number(10, 32))
		for i := range b {
			b[i] = byte(i*37 + 0x81)
		}
		g.Bytes(b)
	case "s":
		return g.String(programText(arg))
	case "k":
		return g.Key(programText(arg))
	case "S", "K":
		return many(g, op == "K", int(number(10, 32)))
	default:
		return fmt.Errorf("step %s", op)
	}
	return nil
}

// many writes n strings, or n members.
func many(g *generator, members bool, n int) error {
	for i := range n {
		if !members {
			if err := g.String("s" + strconv.Itoa(i)); err != nil {
				return err
			}
			continue
		}
		if err := g.Key("k" + strconv.Itoa(i)); err != nil {
			return err
		}
		g.Bool(true)
	}
	return nil
}

func integer(hex string) *big.Int {
	n, _ := new(big.Int).SetString(hex, 16)
	return n
}

// programText renders 61*65,e9*1: 65 times a, then é. Lone surrogates are WTF-8.
func programText(arg string) string {
	var b []byte
	for part := range strings.SplitSeq(arg, ",") {
		hex, count, _ := strings.Cut(part, "*")
		c, _ := strconv.ParseUint(hex, 16, 32)
		n, _ := strconv.Atoi(count)
		for range n {
			if c >= 0xD800 && c < 0xE000 {
				b = append(b, 0xED, byte(0x80|c>>6&0x3F), byte(0x80|c&0x3F))
			} else {
				b = utf8.AppendRune(b, rune(c))
			}
		}
	}
	s := string(b)
	return strings.ReplaceAll(s, "\xed\xa0\xbd\xed\xb8\x80", "😀") // two that match are one character in Java
}
