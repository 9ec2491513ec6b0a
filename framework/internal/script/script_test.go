package script

import (
	"errors"
	"testing"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/chance"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/rediserr"
)

func TestMain(m *testing.M) { lab.Main(m) }

// unique returns a text that no other test has, for keys and for scripts that no server
// has seen.
func unique() string { return chance.Hex() }

func TestScriptRun(t *testing.T) {
	t.Parallel()
	rdb := lab.Connect(t, lab.Shared.Addr())
	script := New("echo", "-- "+unique()+"\nreturn {ARGV[1], 7, false}")
	for range 2 { // by source, then by digest
		value, err := script.Run(t.Context(), rdb, nil, "x")
		got, _ := value.([]any)
		if err != nil || len(got) != 3 || got[0] != "x" || got[1] != int64(7) || got[2] != nil {
			t.Errorf("got %v, %v; want x, 7, nil", value, err)
		}
	}
	null := New("null", "return false")
	if got, err := null.Run(t.Context(), rdb, nil); got != nil || err != nil {
		t.Errorf("null: got %v, %v", got, err)
	}
	if script.Name() != "echo" || len(script.SHA()) != 40 || script.Source() == "" {
		t.Errorf("name %q, digest %q", script.Name(), script.SHA())
	}
}

// A pipeline in which Redis knows some scripts and not others runs each once.
func TestRunAllNoScript(t *testing.T) {
	t.Parallel()
	rdb := lab.Connect(t, lab.Shared.Addr())
	list := "test:" + unique()
	known := New("known", "-- "+unique()+"\nreturn redis.call('RPUSH', KEYS[1], ARGV[1])")
	fresh := New("fresh", "-- "+unique()+"\nreturn redis.call('RPUSH', KEYS[1], ARGV[1])")
	broken := New("broken", "return redis.error_reply('OOM command not allowed')")
	if _, err := known.Run(t.Context(), rdb, []string{list}, "0"); err != nil {
		t.Fatal(err)
	}
	calls := []Call{
		{known, []string{list}, []any{"1"}},
		{fresh, []string{list}, []any{"2"}},
		{broken, nil, nil},
		{known, []string{list}, []any{"3"}},
		{fresh, []string{list}, []any{"4"}},
	}
	replies := RunAll(t.Context(), rdb, calls)
	for i, reply := range replies {
		var server *fault.ServerError
		if i == 2 {
			if !errors.As(reply.Err, &server) || server.Kind != fault.KindOutOfMemory || server.Script != "broken" {
				t.Errorf("call 2: got %v", reply.Err)
			}
		} else if reply.Err != nil {
			t.Errorf("call %d: %v", i, reply.Err)
		}
	}
	if got := rdb.LLen(t.Context(), list).Val(); got != 5 {
		t.Errorf("%d pushes, want 5", got)
	}
	if len(RunAll(t.Context(), rdb, nil)) != 0 {
		t.Error("no calls, but replies")
	}
}

func TestRunAllNetwork(t *testing.T) {
	t.Parallel()
	rdb, one := lab.Connect(t, "127.0.0.1:1"), New("one", "return 1")
	for _, reply := range RunAll(t.Context(), rdb, []Call{{Script: one}, {Script: one}}) {
		if !rediserr.IsTransient(reply.Err) || rediserr.IsAmbiguous(reply.Err) {
			t.Errorf("got %v, want a transient error, not ambiguous", reply.Err)
		}
	}
}
