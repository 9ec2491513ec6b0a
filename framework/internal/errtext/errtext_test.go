package errtext_test

import (
	"errors"
	"fmt"
	"io"
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

// many is a list of errors that may hold nil.
type many []error

func (m many) Error() string {
	var texts []string
	for _, err := range m {
		if err != nil {
			texts = append(texts, err.Error())
		}
	}
	return strings.Join(texts, "\n")
}

func (m many) Unwrap() []error { return m }

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
		"within fmt's":        {fmt.Errorf("stock: %w", (*pointer)(nil)), "stock: <nil>", true},
		"joined":              {errors.Join(errors.New("a"), errors.New("b")), "a; b", false},
		"joined twice":        {errors.Join(io.EOF, io.EOF), "EOF", false},
		"joined alone":        {errors.Join(io.EOF), "EOF", true},
		"joined within":       {fmt.Errorf("take: %w twice", errors.Join(io.EOF, errors.New("b"), io.EOF)), "take: EOF; b twice", false},
		"joined in joined":    {errors.Join(errors.Join(io.EOF, errors.New("b")), io.EOF), "EOF; b; EOF", false},
		"joined beside":       {fmt.Errorf("%w and %w", errors.Join(io.EOF, io.EOF), errors.New("c")), "EOF and c", false},
		"joined, with lines":  {errors.Join(errors.New("a\nb"), errors.New("c")), `a\nb; c`, false},
		"joined, and a nil":   {many{nil, io.EOF}, "EOF", true},
		"joined, who panics":  {many{panics{"oops"}, io.EOF}, "errtext_test.many (its Error method panics)", false},
		"lines of somebody's": {fmt.Errorf("a\n%w", io.EOF), `a\nEOF`, false},
	} {
		t.Run(name, func(t *testing.T) {
			text, asItIs := errtext.Try(c.err, 64)
			if text != c.want || asItIs != c.asItIs || errtext.Of(c.err, 64) != text {
				t.Errorf("got %q, %v; want %q, %v", text, asItIs, c.want, c.asItIs)
			}
		})
	}
	long := errtext.Of(generic[struct {
		A, B, C, D, E, F, G, H, I, J map[string]map[string]map[string]map[string]map[string]map[string]int
	}]{}, 64)
	if len(long) > 250 || !strings.HasSuffix(long, "(its Error method panics)") {
		t.Errorf("a long type: %s", long)
	}
}
