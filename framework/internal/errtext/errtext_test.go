package errtext_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/framework/internal/errtext"
	"github.com/duequeue/duequeue/handlers"
)

// panics is an error whose Error method panics with its value.
type panics struct{ with any }

func (p panics) Error() string { panic(p.with) }

// pointer is an error whose Error method needs the value.
type pointer struct{ text string }

func (p *pointer) Error() string { return p.text }

// generic has a type name as long as that of its argument.
type generic[T any] struct{}

func (generic[T]) Error() string { panic("oops") }

func TestOf(t *testing.T) {
	t.Parallel()
	huge := strings.Repeat("注", 1<<20)
	for name, c := range map[string]struct {
		err    error
		want   string
		asItIs bool
	}{
		"nil":                          {nil, "", true},
		"plain":                        {errors.New("no stock"), "no stock", true},
		"empty":                        {errors.New(""), "", true},
		"umlauts":                      {errors.New("Größe 订单"), "Größe 订单", true},
		"huge":                         {errors.New(huge), strings.Repeat("注", 21) + "… (3145728 bytes)", false},
		"lines":                        {errors.New("no\nlevel=INFO msg=forged\r"), `no\nlevel=INFO msg=forged\r`, false},
		"escapes":                      {errors.New("\x1b[2J\u202e\u009b\x00"), `\x1b[2J\u202e\u009b\x00`, false},
		"not UTF-8":                    {errors.New("a\xff\xc3"), `a\xff\xc3`, false},
		"panics":                       {panics{"oops"}, "errtext_test.panics (its Error method panics)", false},
		"panics by error":              {panics{errors.New("oops")}, "errtext_test.panics (its Error method panics)", false},
		"panics by nil":                {panics{nil}, "errtext_test.panics (its Error method panics)", false},
		"panics, by what panics again": {panics{panics{"oops"}}, "errtext_test.panics (its Error method panics)", false},
		"nil pointer":                  {(*pointer)(nil), "*errtext_test.pointer (its Error method panics)", false},
		"within wrappers":              {handlers.Transient(panics{"oops"}), "*handlers.transient (its Error method panics)", false},
		// fmt survives it by itself.
		"within fmt's": {fmt.Errorf("stock: %w", (*pointer)(nil)), "stock: <nil>", true},
		"joined":       {errors.Join(errors.New("a"), errors.New("b")), `a\nb`, false},
	} {
		text, asItIs := errtext.Try(c.err, 64)
		if text != c.want || asItIs != c.asItIs || errtext.Of(c.err, 64) != text {
			t.Errorf("%s: got %q, %v; want %q, %v", name, text, asItIs, c.want, c.asItIs)
		}
	}
	long := errtext.Of(generic[struct {
		A, B, C, D, E, F, G, H, I, J map[string]map[string]map[string]map[string]map[string]map[string]int
	}]{}, 64)
	if len(long) > 250 || !strings.HasSuffix(long, "(its Error method panics)") {
		t.Errorf("a long type: %s", long)
	}
}
