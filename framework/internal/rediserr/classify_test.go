package rediserr

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/fault"
)

func TestClassify(t *testing.T) {
	t.Parallel()
	src := "local a = 1\nredis.call('RPUSH', KEYS[1], a)\n"
	cases := []struct {
		name      string
		text      string
		kind      fault.Kind
		command   string
		transient bool
	}{
		{"full", "OOM command not allowed when used memory > 'maxmemory'.", fault.KindOutOfMemory, "", false},
		{"full, 6.2 in a script", "ERR Error running script (call to f_1): @user_script:2: @user_script: 2: " +
			"-OOM command not allowed when used memory > 'maxmemory'.", fault.KindOutOfMemory, "", false},
		{"replica", "READONLY You can't write against a read only replica.", fault.KindReadOnly, "", true},
		{"replica, 6.2", "ERR Error running script (call to f_1): @user_script:2: @user_script: 2: " +
			"-READONLY You can't write against a read only replica.", fault.KindReadOnly, "", true},
		{"moved", "MOVED 3999 127.0.0.1:6381", fault.KindCluster, "", true},
		{"ask", "ASK 3999 127.0.0.1:6381", fault.KindCluster, "", true},
		{"try again", "TRYAGAIN Multiple keys request during rehashing of slot", fault.KindCluster, "", true},
		{"cluster down", "CLUSTERDOWN The cluster is down", fault.KindCluster, "", true},
		{"cross slot", "CROSSSLOT Keys in request don't hash to the same slot", fault.KindCrossSlot, "", false},
		{"loading", "LOADING Redis is loading the dataset in memory", fault.KindNotReady, "", true},
		{"no replicas", "NOREPLICAS Not enough good replicas to write.", fault.KindNotReady, "", true},
		{"busy", "BUSY Redis is busy running a script.", fault.KindBusy, "", true},
		{"no script", "NOSCRIPT No matching script. Please use EVAL.", fault.KindNoScript, "", true},
		{"password", "WRONGPASS invalid username-password pair", fault.KindAuth, "", false},
		{"unblocked", "UNBLOCKED force unblock from blocking operation, instance state changed", fault.KindUnblocked, "", true},
		{"unknown command", "ERR unknown command `HRANDFIELD`, with args beginning with: ", fault.KindUnsupported, "", false},
		{"clients", "ERR max number of clients reached", fault.KindNotReady, "", true},
		{"other", "ERR something else", fault.KindUnknown, "", false},
		{"no permission, 7.2", "NOPERM User x has no permissions to run the 'rpush' command", -1, "RPUSH", false},
		{"no permission in a script, 7.2", "NOPERM ACL failure in script: User x has no permissions to run the " +
			"'rpush' command script: 0a, on @user_script:2.", -1, "RPUSH", false},
		{"no permission in a script, 7.0", "ERR The user executing the script can't run this command or subcommand " +
			"script: 0a, on @user_script:2.", -1, "RPUSH", false},
		{"no permission in a script, 6.2", "ERR Error running script (call to f_1): @user_script:2: @user_script: 2: " +
			"The user executing the script can't run this command or subcommand", -1, "RPUSH", false},
		{"key, 7.0", "NOPERM this user has no permissions to access one of the keys used as arguments", -1, "", false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			raw := Answer(c.text)
			err := ClassifyScript("offer", src, fmt.Errorf("wrapped: %w", raw))
			if !errors.Is(err, raw) || err.Error() == "" {
				t.Fatalf("%v does not wrap the answer", err)
			}
			if IsTransient(raw) != c.transient || IsTransient(err) != c.transient || IsAmbiguous(err) {
				t.Errorf("transient: %v %v, want %v; ambiguous %v", IsTransient(raw), IsTransient(err), c.transient, IsAmbiguous(err))
			}
			if c.kind < 0 {
				var p *fault.PermissionError
				if !errors.As(err, &p) || p.Command != c.command || p.Script != "offer" || p.ErrorType() != "redis_permission" {
					t.Errorf("got %#v, want a PermissionError for %s", err, c.command)
				}
				return
			}
			var server *fault.ServerError
			if !errors.As(err, &server) || server.Kind != c.kind || server.ErrorType() == "" {
				t.Errorf("got %#v, want a ServerError of kind %v", err, c.kind)
			}
		})
	}
}

func TestClassifyWrongType(t *testing.T) {
	t.Parallel()
	err := Classify("offer", Answer("WRONGTYPE want=list got=string key=my queue"))
	var wrong *fault.WrongTypeError
	if !errors.As(err, &wrong) || wrong.Key != "my queue" || wrong.Want != "list" || wrong.Got != "string" {
		t.Errorf("got %#v, want that my queue is a string and no list", err)
	}
	err = Classify("LRANGE", Answer("WRONGTYPE Operation against a key holding the wrong kind of value"))
	if !errors.As(err, &wrong) || wrong.Key != "" || wrong.ErrorType() != "redis_wrong_type" || wrong.Error() == "" {
		t.Errorf("got %#v, want a WrongTypeError without a key", err)
	}
}

func TestClassifyNetwork(t *testing.T) {
	t.Parallel()
	dial := &net.OpError{Op: "dial", Err: errors.New("refused")}
	read := &net.OpError{Op: "read", Err: errors.New("reset")}
	for _, c := range []struct {
		err                  error
		transient, ambiguous bool
	}{
		{nil, false, false},
		{io.EOF, true, true},
		{fmt.Errorf("x: %w", io.ErrUnexpectedEOF), true, true},
		{dial, true, false},
		{read, true, true},
		{redis.ErrPoolTimeout, true, false},
		{redis.ErrClosed, false, false},
		{context.Canceled, false, true},
		{errors.New("else"), false, true},
	} {
		if IsTransient(c.err) != c.transient || IsAmbiguous(c.err) != c.ambiguous {
			t.Errorf("%v: transient %v, ambiguous %v", c.err, IsTransient(c.err), IsAmbiguous(c.err))
		}
		if got := Classify("x", c.err); !errors.Is(got, c.err) || fmt.Sprint(got) != fmt.Sprint(c.err) {
			t.Errorf("%v was changed", c.err)
		}
	}
}

func TestKindString(t *testing.T) {
	t.Parallel()
	if fault.KindUnsupported.String() != "unsupported" || fault.KindUnknown.String() != "unknown" || fault.Kind(99).String() != "Kind(99)" {
		t.Error("names of kinds")
	}
}
