package jdk_test

import (
	"testing"

	"github.com/duequeue/duequeue/codecs/internal/jdk"
)

func TestArrays(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		class string
		dims  int
		want  string
	}{{"int", 1, "[I"}, {"long", 2, "[[J"}, {"demo.A", 1, "[Ldemo.A;"}, {"[I", 1, "[[I"}, {"demo.A", 0, "demo.A"}} {
		got := jdk.ArrayName(c.class, c.dims)
		if got != c.want {
			t.Errorf("%s with %d dimensions is %s", c.class, c.dims, got)
		}
		if c.dims == 1 {
			if back, ok := jdk.Component(got); !ok || back != c.class {
				t.Errorf("component of %s is %s", got, back)
			}
		}
	}
	for _, bad := range []string{"", "[", "[X", "demo.A", "[L;", "[Ldemo.A"} {
		if got, ok := jdk.Component(bad); ok {
			t.Errorf("component of %q is %q", bad, got)
		}
	}
}
