package lease

import (
	"errors"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/framework/fault"
)

func TestWrongTypes(t *testing.T) {
	t.Parallel()
	e := onReal(t)
	kinds := map[string]string{
		e.keys.Queue: "list", e.keys.Sessions: "zset", e.keys.Attempts: "hash", e.keys.Due: "list",
		e.keys.Trace: "zset", e.keys.Dead: "stream", "stage": "list", "fetches": "set",
	}
	for key, kind := range kinds {
		s := e.session(t, Options{MaxPayload: 20})
		switch key {
		case "stage", "fetches":
			key = "duequeue:" + key + ":{" + e.keys.Queue + "}:" + s.ID()
		}
		e.clear(t)
		if key != e.keys.Queue {
			e.push(t, "a", strings.Repeat("oversized", 10))
		}
		must(t, e.rdb.Set(t.Context(), key, "a string", 0).Err())
		_, err := s.Take(t.Context(), 2, nil)
		var wrong *fault.WrongTypeError
		if !errors.As(err, &wrong) || wrong.Key != key || wrong.Want != kind || wrong.Got != "string" {
			t.Errorf("%s: %v", key, err)
		}
		if key != e.keys.Queue {
			e.wantQueue(t, "a", strings.Repeat("oversized", 10))
		}
		must(t, e.rdb.Del(t.Context(), key).Err())
		if key != e.keys.Queue {
			wantBodies(t, take(t, s, 2), "a")
		}
	}
}

func TestWrongTypesOfTheOthers(t *testing.T) {
	t.Parallel()
	e := onReal(t)
	wrongKeys := []string{
		e.keys.Queue, e.keys.Timeout, e.keys.Pending, e.keys.Attempts, e.keys.Due, e.keys.Trace, e.keys.Dead, e.keys.Sessions,
	}
	ops := map[string]func(s *Session, b Batch) error{
		"nack": func(s *Session, b Batch) error {
			_, err := s.Nack(t.Context(), b.Messages[0].Token, NackArgs{Charge: true})
			return err
		},
		"dead": func(s *Session, b Batch) error {
			_, err := s.Dead(t.Context(), b.Messages[0].Token, DeadArgs{Reason: "rejected"})
			return err
		},
		"release": func(s *Session, b Batch) error {
			_, err := s.Release(t.Context(), released(b))
			return err
		},
		"close": func(s *Session, _ Batch) error {
			_, err := s.Close(t.Context())
			return err
		},
	}
	for name, op := range ops {
		failures := 0
		for _, key := range wrongKeys {
			e.clear(t)
			s := e.session(t, Options{})
			e.push(t, "a", "b")
			b := take(t, s, 1)
			if key == e.keys.Queue || key == e.keys.Sessions {
				must(t, e.rdb.Rename(t.Context(), key, key+"x").Err())
			}
			must(t, e.rdb.Set(t.Context(), key, "a string", 0).Err())
			err := op(s, b)
			must(t, e.rdb.Del(t.Context(), key).Err())
			if key == e.keys.Queue || key == e.keys.Sessions {
				must(t, e.rdb.Rename(t.Context(), key+"x", key).Err())
			}
			if err == nil {
				continue // the operation does not need this key
			}
			failures++
			var wrong *fault.WrongTypeError
			if !errors.As(err, &wrong) || wrong.Key != key || wrong.Got != "string" {
				t.Errorf("%s with a wrong %s: %v", name, key, err)
			}
			e.reap(t, s)
			e.wantQueue(t, "a", "b")
		}
		if failures < 2 {
			t.Errorf("%s noticed %d wrong keys", name, failures)
		}
	}
}
