package codecs_test

import (
	"math"
	"testing"

	"github.com/duequeue/duequeue/codecs"
)

func TestLimitsWithDefaults(t *testing.T) {
	t.Parallel()
	defaults := codecs.Limits{
		Bytes: codecs.DefaultMaxBytes, Elements: codecs.DefaultMaxElements,
		Depth: codecs.DefaultMaxDepth, StringBytes: codecs.DefaultMaxStringBytes,
	}
	for name, c := range map[string]struct{ in, want codecs.Limits }{
		"zero":     {codecs.Limits{}, defaults},
		"given":    {codecs.Limits{Bytes: 1, Elements: 2, Depth: 3, StringBytes: 4}, codecs.Limits{Bytes: 1, Elements: 2, Depth: 3, StringBytes: 4}},
		"no limit": {codecs.Limits{Bytes: -1, Elements: -1, Depth: -1, StringBytes: -1}, codecs.Limits{Bytes: math.MaxInt, Elements: math.MaxInt, Depth: 10_000, StringBytes: math.MaxInt}},
		"too deep": {codecs.Limits{Depth: 1 << 20}, codecs.Limits{Bytes: defaults.Bytes, Elements: defaults.Elements, Depth: 10_000, StringBytes: defaults.StringBytes}},
	} {
		t.Run(name, func(t *testing.T) {
			got := c.in.WithDefaults()
			if got != c.want {
				t.Errorf("%s: %+v, want %+v", name, got, c.want)
			}
			if again := got.WithDefaults(); again != got {
				t.Errorf("%s: not stable: %+v", name, again)
			}
		})
	}
}
