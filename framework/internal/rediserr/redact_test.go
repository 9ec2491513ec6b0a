package rediserr

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"
)

// several is an error that cannot be compared.
type several []error

func (several) Error() string     { return "several" }
func (s several) Unwrap() []error { return s }

// Answers that repeat arguments end before these, by whatever way an error comes.
func TestCutAnswers(t *testing.T) {
	t.Parallel()
	repeated := Answer("ERR unknown command 'auth', with args beginning with: 'u' 'secret' ")
	for name, err := range map[string]error{
		"bare":     repeated,
		"wrapped":  fmt.Errorf("login: %w", repeated),
		"joined":   errors.Join(errors.New("other"), repeated),
		"of a set": several{repeated},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			hook := AnswersCut{}
			cmd := redis.NewCmd(t.Context(), "PING")
			got := map[string]error{
				"command": hook.ProcessHook(func(_ context.Context, cmd redis.Cmder) error { cmd.SetErr(err); return err })(t.Context(), cmd),
				"of it":   cmd.Err(),
				"batch": hook.ProcessPipelineHook(func(_ context.Context, cmds []redis.Cmder) error {
					cmds[0].SetErr(err)
					return err
				})(t.Context(), []redis.Cmder{cmd}),
				"of batch":     cmd.Err(),
				"subscription": Classify("SUBSCRIBE", err),
			}
			for way, err := range got {
				if text := fmt.Sprintf("%v %+v", err, err); strings.Contains(text, "secret") || !errors.As(err, new(redis.Error)) {
					t.Errorf("%s: %s", way, text)
				}
			}
		})
	}
	for _, err := range []error{nil, redis.Nil, errors.New("x"), several{errors.New("x")}, Answer("ERR x")} {
		if cut, got := cutAnswer(err); cut || fmt.Sprint(got) != fmt.Sprint(err) {
			t.Errorf("%v became %v", err, got)
		}
	}
}
