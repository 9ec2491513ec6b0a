package registry_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"testing"

	"pgregory.net/rapid"

	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// drawError builds a tree of wrapped and joined errors.
func drawError(t *rapid.T, depth int) error {
	leaf := rapid.SampledFrom([]error{io.EOF, fs.ErrNotExist, &smtpError{1}, claims{}, handlers.ErrTimeout, &fs.PathError{Op: "open", Err: fs.ErrExist}})
	if depth == 0 {
		return leaf.Draw(t, "leaf")
	}
	inner := drawError(t, depth-1)
	switch rapid.IntRange(0, 5).Draw(t, "wrapper") {
	case 0:
		return fmt.Errorf("load: %w", inner)
	case 1:
		return errors.Join(inner, drawError(t, depth-1))
	case 2:
		return fmt.Errorf("%w, %w", leaf.Draw(t, "beside"), inner)
	case 3:
		return handlers.Transient(inner)
	case 4:
		return &handlers.TimeoutError{Err: inner}
	}
	return &handlers.PanicError{Value: inner}
}

// Rules match as errors.Is and errors.As do, and the first one that does counts.
func TestRulesMatchAsPackageErrorsDoes(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		err := drawError(t, rapid.IntRange(0, 5).Draw(t, "depth"))
		var mail *smtpError
		var path *fs.PathError
		type matcher struct {
			m    registry.ErrorMatch
			want bool
		}
		all := []matcher{
			{registry.ErrorIs(io.EOF), errors.Is(err, io.EOF)},
			{registry.ErrorIs(fs.ErrNotExist), errors.Is(err, fs.ErrNotExist)},
			{registry.ErrorIs(fs.ErrExist), errors.Is(err, fs.ErrExist)},
			{registry.ErrorIs(io.ErrNoProgress), errors.Is(err, io.ErrNoProgress)},
			{registry.ErrorIs(handlers.ErrTimeout), errors.Is(err, handlers.ErrTimeout)},
			{registry.ErrorAs[*smtpError](), errors.As(err, &mail)},
			{registry.ErrorAs[*fs.PathError](), errors.As(err, &path)},
		}
		order := rapid.Permutation(all).Draw(t, "order")
		opts := []registry.Option{registry.Codec(fake)}
		want := ""
		for _, m := range order {
			opts = append(opts, registry.On(m.m, registry.Attempts(7)))
			if m.want && want == "" {
				want = fmt.Sprintf("On(%s, Attempts(7))", m.m)
			}
		}
		q := registry.Define[string]("A", "", opts...)
		if q.Err() != nil {
			t.Fatal(q.Err())
		}
		rule, met := q.Policy().RuleFor(err)
		if met != (want != "") || met && rule.String() != want {
			t.Fatalf("met %v by %s, want %q", met, rule, want)
		}
	})
}
