package delayed

import (
	"context"
	"errors"
	"io"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/script"
)

// answers is a server that gives one answer after the other; nil is success.
type answers struct {
	redis.Scripter
	left []error
	sent int
}

func (a *answers) EvalSha(ctx context.Context, _ string, _ []string, _ ...any) *redis.Cmd {
	cmd := redis.NewCmd(ctx)
	a.sent++
	if err := a.left[0]; err != nil {
		cmd.SetErr(err)
	} else {
		cmd.SetVal("done")
	}
	a.left = a.left[1:]
	return cmd
}

// said is an answer of Redis.
type said string

func (s said) Error() string { return string(s) }
func (said) RedisError()     {}

// What may go away by itself is sent again, also when the node said that the slot is
// elsewhere; what Redis refused for good is not.
func TestResend(t *testing.T) {
	t.Parallel()
	one := script.New("test", "return 1")
	const moved, asked, split = said("MOVED 1 127.0.0.1:1"), said("ASK 1 127.0.0.1:1"), said("TRYAGAIN rehashing")
	for name, c := range map[string]struct {
		left    []error
		tries   int
		sent    int
		unknown bool
		fails   bool
	}{
		"at once":                {[]error{nil}, 0, 1, false, false},
		"moved":                  {[]error{moved, nil}, 0, 2, false, false},
		"asked, split and moved": {[]error{asked, split, moved, nil}, 0, 4, false, false},
		"split for long":         {[]error{split, split, split, split, split}, 0, 5, false, true},
		"broken":                 {[]error{io.EOF, nil}, 0, 2, true, false},
		"moved, broken, moved":   {[]error{moved, io.EOF, moved, nil}, 0, 4, true, false},
		"once, moved":            {[]error{moved, nil}, 1, 2, false, false},
		"once, broken":           {[]error{io.EOF}, 1, 1, true, true},
		"once, moved and broken": {[]error{moved, io.EOF}, 1, 2, true, true},
		"refused":                {[]error{said("ERR no")}, 0, 1, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := &answers{left: c.left}
			again := false
			value, sent, unknown, err := resend(t.Context(), server, "q", c.tries, func(a bool) script.Call {
				again = a
				return script.Call{Script: one}
			})
			if sent != c.sent || server.sent != c.sent || unknown != c.unknown || again && !c.unknown || (err != nil) != c.fails {
				t.Errorf("sent %d (%d arrived), unknown %v (told %v), error %v", sent, server.sent, unknown, again, err)
			}
			if c.unknown && !again && !c.fails {
				t.Error("the last try was not told that an earlier one may have been executed")
			}
			if !c.fails && value != "done" {
				t.Errorf("value %v", value)
			}
			if last := c.left[len(c.left)-1]; c.fails && !errors.Is(err, last) {
				t.Errorf("error %v, want the last answer, %v", err, last)
			}
		})
	}
}
