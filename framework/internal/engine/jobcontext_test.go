package engine

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/duequeue/duequeue/handlers"
)

func TestContextTellsItsCause(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		cause error
		err   error
		want  error
	}{
		"timeout":      {handlers.ErrTimeout, context.DeadlineExceeded, handlers.ErrTimeout},
		"lease lost":   {handlers.ErrLeaseLost, context.Canceled, handlers.ErrLeaseLost},
		"ordinary end": {nil, context.Canceled, context.Canceled},
	} {
		for when, look := range map[string]bool{"ended before anybody looked": false, "ended while somebody waits": true} {
			t.Run(name+" "+when, func(t *testing.T) {
				t.Parallel()
				c := &jobContext{base: t.Context()}
				if err := c.Err(); err != nil {
					t.Fatalf("running: %v", err)
				}
				if look {
					c.Done()
				}
				c.End(tc.cause)
				c.End(errors.New("too late"))
				<-c.Done()
				if err := c.Err(); !errors.Is(err, tc.err) {
					t.Errorf("Err %v, want %v", err, tc.err)
				}
				if got := context.Cause(c); !errors.Is(got, tc.want) {
					t.Errorf("Cause %v, want %v: does this Go look up its contexts by another key?", got, tc.want)
				}
			})
		}
	}
}

func TestContextHasCheapChildrenAndEndsWithItsBase(t *testing.T) {
	t.Parallel()
	base, abort := context.WithCancelCause(t.Context())
	c := &jobContext{base: context.WithValue(base, key{}, "value"), deadline: time.Now().Add(time.Hour)}
	child, cancel := context.WithTimeout(c, time.Minute)
	defer cancel()
	if child.Value(key{}) != "value" {
		t.Error("the value is lost")
	}
	if d, ok := c.Deadline(); !ok || time.Until(d) < 59*time.Minute {
		t.Errorf("deadline %v %v", d, ok)
	}
	abort(handlers.ErrDraining)
	<-child.Done()
	if got := context.Cause(child); !errors.Is(got, handlers.ErrDraining) {
		t.Errorf("cause of the child %v, want ErrDraining", got)
	}
	if got := context.Cause(c); !errors.Is(got, handlers.ErrDraining) {
		t.Errorf("cause %v, want ErrDraining", got)
	}
}

type key struct{}
