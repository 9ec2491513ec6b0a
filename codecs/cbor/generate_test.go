package cbor

import (
	"encoding/hex"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs/internal/databind"
	"github.com/duequeue/duequeue/codecs/internal/option"
	"github.com/duequeue/duequeue/codecs/internal/token"
	"github.com/duequeue/duequeue/codecs/java"
)

var (
	newestRules = &databind.Rules{Jackson: 2, Types: true, Release: option.Release{4, 7, 0}}
	oldRules    = &databind.Rules{Jackson: 2, Types: true, Release: option.Release{3, 8, 1}}
)

// generated returns what calls of a generator write, shortened.
func generated(tb testing.TB, r *databind.Rules, calls func(g token.Generator) error) string {
	tb.Helper()
	g := newGenerator(r)
	g.Begin(nil)
	if err := calls(g); err != nil {
		return err.Error()
	}
	return hex.EncodeToString(g.End())
}

// TestPropertyNames: Jackson up to 2.9.8 writes one byte more before texts of 23 bytes, but
// not before the names of properties, which it has rendered itself.
func TestPropertyNames(t *testing.T) {
	t.Parallel()
	name := strings.Repeat("k", 23)
	for class, want := range map[string]string{
		"java.util.HashMap": "7817", "java.util.LinkedHashMap": "7817", "java.util.concurrent.ConcurrentHashMap": "7817", "demo.Order": "77",
	} {
		got := generated(t, oldRules, func(g token.Generator) error {
			_ = g.Object(class, 1)
			return g.Key(name)
		})
		fixed := generated(t, oldRules, func(g token.Generator) error {
			object := newGenerator(oldRules)
			_ = object.Object(class, 0)
			g.(token.Fixed).FixedObject(string(object.End()), 1)
			return g.Key(name)
		})
		if !strings.HasSuffix(got, want+hex.EncodeToString([]byte(name))) || fixed != got {
			t.Errorf("%s: %s, rendered %s", class, got, fixed)
		}
	}
}

// TestLongText: a text of millions of characters takes linear time, and comes back.
func TestLongText(t *testing.T) {
	t.Parallel()
	for _, piece := range []string{"x", "é", "x😀"} {
		text := strings.Repeat(piece, 6_000_000/len(piece))
		payload, err := Jackson().Encode(text)
		if err != nil {
			t.Fatal(err)
		}
		if back, err := Jackson().Decode(payload); err != nil || back != text {
			t.Errorf("%q: %v", piece, err)
		}
	}
}

// TestReleases: each difference begins with the release that has the Jackson it came with.
func TestReleases(t *testing.T) {
	t.Parallel()
	write := func(g token.Generator) error {
		g.Int(1 << 31)
		if err := g.String(strings.Repeat("x", 23)); err != nil {
			return err
		}
		return g.Decimal(java.BigDecimal{Unscaled: big.NewInt(1230), Scale: 2})
	}
	text := hex.EncodeToString([]byte(strings.Repeat("x", 23)))
	for release, want := range map[option.Release]string{
		{3, 8, 1}:  "1b0000000080000000" + "7817" + text + "c482021904ce",
		{3, 10, 7}: "1b0000000080000000" + "7817" + text + "c482021904ce",
		{3, 11, 0}: "1b0000000080000000" + "77" + text + "c482021904ce",
		{3, 11, 5}: "1b0000000080000000" + "77" + text + "c482021904ce",
		{3, 11, 6}: "1b0000000080000000" + "77" + text + "c482211904ce",
		{3, 13, 2}: "1b0000000080000000" + "77" + text + "c482211904ce",
		{3, 13, 3}: "1a80000000" + "77" + text + "c482211904ce",
		{4, 7, 0}:  "1a80000000" + "77" + text + "c482211904ce",
	} {
		if got := generated(t, &databind.Rules{Jackson: 2, Types: true, Release: release}, write); got != want {
			t.Errorf("%s: %s, want %s", release, got, want)
		}
	}
}

// TestRefused: what Java's generator refuses or writes wrong is refused.
func TestRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		call func(g token.Generator) error
		want string
	}{
		"lone surrogate": {func(g token.Generator) error { return g.String("a\xed\xa0\x80") }, "not UTF-8"},
		"bytes":          {func(g token.Generator) error { return g.String(strings.Repeat("x", 5000) + "\xff") }, "not UTF-8"},
		"key":            {func(g token.Generator) error { _ = g.Object("demo.A", 1); return g.Key("\xff") }, "not UTF-8"},
		"number of 8,000 bits": {func(g token.Generator) error {
			return g.Big(new(big.Int).Lsh(big.NewInt(1), 8000))
		}, "BigInteger of 1001 bytes: Java reads at most 1000"},
		"scale": {func(g token.Generator) error {
			return g.Decimal(java.BigDecimal{Unscaled: big.NewInt(1), Scale: math.MinInt32})
		}, "BigDecimal of scale -2147483648: Java writes another one"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := generated(t, newestRules, c.call); !strings.HasPrefix(got, c.want) {
				t.Errorf("%s: %s", name, got)
			}
		})
	}
	if got := generated(t, newestRules, func(g token.Generator) error { return g.Big(new(big.Int).Lsh(big.NewInt(1), 7998)) }); !strings.HasPrefix(got, "c25903e8") {
		t.Errorf("number of 7,999 bits: %.40s", got)
	}
	if got := generated(t, newestRules, func(g token.Generator) error { return g.Decimal(java.BigDecimal{}) }); got != "c4820000" {
		t.Errorf("zero BigDecimal: %s", got)
	}
}
