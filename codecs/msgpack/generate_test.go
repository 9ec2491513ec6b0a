package msgpack

import (
	"encoding/hex"
	"math"
	"math/big"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/internal/token"
	"github.com/duequeue/duequeue/codecs/java"
)

// generated returns what calls of a generator write.
func generated(calls func(g token.Generator) error) string {
	g := newGenerator(nil)
	if err := calls(g); err != nil {
		return err.Error()
	}
	return hex.EncodeToString(g.End())
}

// TestDecimals: a BigDecimal is what Java makes of it, or is refused where Java does.
func TestDecimals(t *testing.T) {
	t.Parallel()
	raw := codectest.Must(os.ReadFile("testdata/decimals.tsv"))(t)
	prefix := "92b4" + hex.EncodeToString([]byte("java.math.BigDecimal"))
	written, refused := 0, 0
	for line := range strings.Lines(string(raw)) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		unscaled, _ := new(big.Int).SetString(f[0], 10)
		scale := codectest.Must(strconv.ParseInt(f[1], 10, 32))(t)
		d := java.BigDecimal{Unscaled: unscaled, Scale: int32(scale)}
		got := generated(func(g token.Generator) error { return g.Decimal(d) })
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
			if got := generated(c.call); !strings.HasPrefix(got, c.want) {
				t.Errorf("%s: %.200s", name, got)
			}
		})
	}
}
