package jackson_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/jackson"
)

// TestHostileSize: large payloads that mean harm end in a typed error or a value, and take
// memory that their bytes justify. In the long form they are so large that what does not
// take linear time does not end.
func TestHostileSize(t *testing.T) {
	n := codectest.Count(10_000, 100_000)
	list := func(element string) string {
		return `["java.util.ArrayList",[` + strings.Repeat(element+",", n*8/100) + `1]]`
	}
	c := jackson.JsonJackson(jackson.Limits(codecs.Limits{Depth: -1, Elements: 4096}))
	wide := jackson.JsonJackson(jackson.Limits(codecs.Limits{Depth: 10_000}))
	for name, payload := range map[string]string{
		"arrays":             strings.Repeat("[", n),
		"wrappers":           strings.Repeat(`["java.util.ArrayList",[`, n),
		"objects":            strings.Repeat(`{"a":`, n),
		"classes at the end": strings.Repeat(`{"a":`, 5000) + "1" + strings.Repeat(`,"@class":"a.B"}`, 5000),
		"one key":            `{"@class":"java.util.HashMap"` + strings.Repeat(`,"a":1`, n) + "}",
		"many keys":          `{"@class":"java.util.HashMap"` + numbered(n, `,"k%d":1`) + "}",
		"many fields":        `{"@class":"a.B"` + numbered(n, `,"k%d":1`) + "}",
		"many @class":        "{" + strings.Repeat(`"@class":"a.B",`, n) + `"a":1}`,
		"long numbers":       list(strings.Repeat("9", 999)),
		"long Longs":         list(`["java.lang.Long","` + strings.Repeat("9", 999) + `"]`),
		"long fractions":     list("0." + strings.Repeat("9", 990)),
		"huge exponents":     list(`["java.math.BigDecimal",1e999999999]`),
		"escapes":            `"` + strings.Repeat(`\ud83d\ude00`, n) + `"`,
		"surrogates":         `"` + strings.Repeat(`\ud83d`, n) + `"`,
		"class names":        list(`["a.B` + strings.Repeat("b", 500) + `",1]`),
		"brackets":           `["` + strings.Repeat("[", n) + `I",[1]]`,
		"generics":           `["java.util.EnumSet<` + strings.Repeat("<", n) + `>",[1]]`,
	} {
		t.Run(name, func(t *testing.T) {
			for _, codec := range []codecs.Codec{c, wide} {
				_, err := codec.Decode([]byte(payload))
				var d *codecs.DecodeError
				if err != nil && !errors.As(err, &d) {
					t.Errorf("%s: %v", name, err)
				}
			}
			codectest.Allocates(t, []byte(payload[:min(len(payload), 1<<16)]), func() { _, _ = c.Decode([]byte(payload[:min(len(payload), 1<<16)])) })
		})
	}
}

func numbered(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// TestLimitsCountValues: wrapper arrays are neither elements nor levels.
func TestLimitsCountValues(t *testing.T) {
	t.Parallel()
	lists := func(n int) string {
		return strings.Repeat(`["java.util.ArrayList",[`, n) + strings.Repeat("]]", n)
	}
	longs := func(n int) string {
		return `["java.util.ArrayList",[` + strings.TrimSuffix(strings.Repeat(`["java.lang.Long",1],`, n), ",") + "]]"
	}
	beans := func(n int) string {
		return `{"@class":"a.B"` + numbered(n, `,"f%d":["java.lang.Long",1]`) + "}"
	}
	if _, err := jackson.JsonJackson(jackson.Limits(codecs.Limits{Elements: -1})).Decode([]byte(longs(1000))); err != nil {
		t.Errorf("without a limit: %v", err)
	}
	c := jackson.JsonJackson(jackson.Limits(codecs.Limits{Elements: 10, Depth: 10}))
	for name, payload := range map[string]func(n int) string{"levels": lists, "elements": longs, "members": beans} {
		for n, ok := range map[int]bool{9: true, 10: true, 11: false, 12: false, 1000: false} {
			_, err := c.Decode([]byte(payload(n)))
			if ok != (err == nil) || !ok && !strings.Contains(err.Error(), " 10 ") && !strings.Contains(err.Error(), "than 10") {
				t.Errorf("%d %s: %v", n, name, err)
			}
		}
	}
}

// TestOptions: mistakes in options are reported together, by every use.
func TestOptions(t *testing.T) {
	t.Parallel()
	c := jackson.JsonJackson(nil, jackson.Since("x"), jackson.Since("3"), jackson.Limits(codecs.Limits{Depth: 20_000}))
	_, decodeErr := c.Decode([]byte("1"))
	_, encodeErr := c.Encode(1)
	_, bindErr := codecs.For[string](c, codecs.BindOptions{})
	for _, err := range []error{decodeErr, encodeErr, bindErr} {
		for _, want := range []string{"option 1 is nil", `jackson.Since("x")`, `jackson.Since("3")`, "Depth"} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v; want %q", err, want)
			}
		}
	}
	if _, err := jackson.JsonJackson3(jackson.Since("4.0.0")).Decode([]byte("1")); err == nil || !strings.Contains(err.Error(), "4.1.0") {
		t.Errorf("a release without the codec: %v", err)
	}
	if _, err := jackson.JsonJackson(jackson.Since("4.7")).Decode([]byte("1")); err != nil {
		t.Error(err)
	}
}
