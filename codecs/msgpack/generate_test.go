package msgpack

import (
	"encoding/hex"
	"math"
	"math/big"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs/internal/token"
	"github.com/duequeue/duequeue/codecs/java"
)

// generated returns what calls of a generator write.
func generated(tb testing.TB, calls func(g token.Generator) error) string {
	tb.Helper()
	g := newGenerator(newestRules)
	g.Begin([]byte{0xAA}) // what stands there stays
	if err := calls(g); err != nil {
		return err.Error()
	}
	if g.Len() < 2 {
		tb.Fatalf("only %d bytes", g.Len())
	}
	out := hex.EncodeToString(g.End())
	if !strings.HasPrefix(out, "aa") {
		tb.Fatalf("what stood there is gone: %s", out)
	}
	return out[2:]
}

// TestDecimals: a BigDecimal is what Java makes of it, or is refused where Java does.
func TestDecimals(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("testdata/decimals.tsv")
	if err != nil {
		t.Fatal(err)
	}
	prefix := "92b4" + hex.EncodeToString([]byte("java.math.BigDecimal"))
	written, refused := 0, 0
	for line := range strings.Lines(string(raw)) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		unscaled, _ := new(big.Int).SetString(f[0], 10)
		scale, err := strconv.ParseInt(f[1], 10, 32)
		if err != nil {
			t.Fatal(err)
		}
		d := java.BigDecimal{Unscaled: unscaled, Scale: int32(scale)}
		got := generated(t, func(g token.Generator) error { return g.Decimal(d) })
		switch d.String() {
		case "1E-323", "100000000000000000000000", "-4.94691E+20":
			continue // the JDK 17 that wrote these shows their doubles otherwise than JDK 19 and later
		}
		if f[2] == "WRITEFAIL" {
			refused++
			if !strings.HasPrefix(got, "a BigDecimal that Java refuses") {
				t.Errorf("%s: Java refuses it, we write %s", d, got)
			}
			continue
		}
		written++
		if prefix+got != f[2] {
			t.Errorf("%s: %s, Java writes %s", d, got, strings.TrimPrefix(f[2], prefix))
		}
	}
	if written < 300 || refused < 30 {
		t.Fatalf("%d written, %d refused", written, refused)
	}
}

// TestRefused: what Java's generator refuses or loses is refused, at once.
func TestRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		call func(g token.Generator) error
		want string
	}{
		"lone surrogate": {func(g token.Generator) error { return g.String("a\xed\xa0\x80") }, "not UTF-8"},
		"key":            {func(g token.Generator) error { return g.Key("\xff") }, "not UTF-8"},
		"class":          {func(g token.Generator) error { return g.Object("\xff", 1) }, "not UTF-8"},
		"65 bits":        {func(g token.Generator) error { return g.Big(new(big.Int).Lsh(big.NewInt(1), 64)) }, "BigInteger of 65 bits"},
		"below a long": {func(g token.Generator) error {
			return g.Big(new(big.Int).Sub(big.NewInt(math.MinInt64), big.NewInt(1)))
		}, "BigInteger of 64 bits"},
		"huge exponent": {func(g token.Generator) error {
			return g.Decimal(java.BigDecimal{Unscaled: big.NewInt(1), Scale: math.MinInt32})
		}, "a BigDecimal that Java refuses"},
		"tiny": {func(g token.Generator) error {
			return g.Decimal(java.BigDecimal{Unscaled: big.NewInt(1), Scale: math.MaxInt32})
		}, "a BigDecimal that Java refuses"},
		"many digits": {func(g token.Generator) error {
			return g.Decimal(java.BigDecimal{Unscaled: new(big.Int).Lsh(big.NewInt(1), 1<<20)})
		}, "a BigDecimal that Java refuses"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := generated(t, c.call); !strings.HasPrefix(got, c.want) {
				t.Errorf("%s: %.200s", name, got)
			}
		})
	}
}

// TestFixed: what is rendered once is what is written each time.
func TestFixed(t *testing.T) {
	t.Parallel()
	write := func(fixed bool) string {
		return generated(t, func(g token.Generator) error {
			f := g.(token.Fixed)
			object, err := f.RenderObject("demo.A")
			if err != nil {
				return err
			}
			wrap, err := f.RenderWrap("demo.B")
			if err != nil {
				return err
			}
			key, err := f.RenderKey("kéy")
			if err != nil {
				return err
			}
			if fixed {
				f.FixedObject(object, 15)
				f.FixedKey(key)
				f.FixedWrap(wrap)
			} else {
				_ = g.Object("demo.A", 15)
				_ = g.Key("kéy")
				_ = g.Wrap("demo.B")
			}
			_ = g.IntKey(-5)
			g.EndWrap()
			g.EndObject()
			return nil
		})
	}
	const want = "de0010a640636c617373a664656d6f2e41a46bc3a97992a664656d6f2e42a22d35"
	if a, b := write(true), write(false); a != want || b != want {
		t.Errorf("rendered %s, written %s, want %s", a, b, want)
	}
	if _, err := newGenerator(newestRules).(token.Fixed).RenderKey("\xff"); err == nil {
		t.Error("a key that is no UTF-8 was rendered")
	}
}
