package handlers_test

import (
	"errors"
	"io"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/handlers"
)

func TestDecided(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err  error
		want bool
	}{
		"nil":              {nil, false},
		"plain":            {io.EOF, false},
		"transient":        {handlers.Transient(io.EOF), false},
		"retry":            {handlers.Retry(io.EOF), true},
		"retry after":      {wrap(handlers.RetryAfter(1, io.EOF)), true},
		"reject":           {errors.Join(io.EOF, handlers.Reject("why")), true},
		"permanent":        {handlers.Permanent(io.EOF), true},
		"marked permanent": {&marked{permanent: true}, true},
		"decode":           {&codecs.DecodeError{}, true},
		"panic":            {&handlers.PanicError{Value: handlers.Reject("why")}, false},
		"timeout":          {&handlers.TimeoutError{Err: handlers.Retry(nil)}, true},
		"methods panic":    {&bomb{}, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := handlers.Decided(c.err); got != c.want {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

func TestErrorsEndInACircle(t *testing.T) {
	t.Parallel()
	n := 0
	for e := range handlers.Errors(&circle{}) {
		if e != nil {
			n++
		}
	}
	if n != 1000 {
		t.Errorf("%d errors", n)
	}
}

func TestRetryAfterIsBounded(t *testing.T) {
	t.Parallel()
	for _, d := range []int64{int64(handlers.MaxRetryDelay), int64(handlers.MaxRetryDelay) + 1, 1<<63 - 1} {
		if got := handlers.Classify(handlers.RetryAfter(time.Duration(d), nil)).Delay; got != handlers.MaxRetryDelay {
			t.Errorf("%v gives %v", time.Duration(d), got)
		}
	}
}
