package endtoend_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/integration/rig"
	"github.com/duequeue/duequeue/framework/internal/lab"
)

// The example of TLS and ACL works with what an administrator gives it, and tells what is wrong
// with anything else.
func TestExampleOfTLSAndACL(t *testing.T) {
	t.Parallel()
	program := rig.Program(t, "examples/10-tls-acl")
	server := lab.StartRedis(t, lab.TLS())
	rules, err := admin.ACLRules(admin.RoleServe, "ORDER_PAYMENT_TIMEOUT")
	if err != nil {
		t.Fatal(err)
	}
	line := []any{"ACL", "SETUSER", "orders", "reset", "on", ">secret"}
	for _, rule := range rules {
		line = append(line, rule)
	}
	if err := server.Client().Do(t.Context(), line...).Err(); err != nil {
		t.Fatal(err)
	}
	files := server.TLSFiles()
	right := []string{
		"URL=rediss://" + server.TLSAddr(), "USERNAME=orders", "PASSWORD=secret",
		"TLS_CA_FILE=" + files.CA, "TLS_CERT_FILE=" + files.Cert, "TLS_KEY_FILE=" + files.Key,
	}
	for name, row := range map[string]struct {
		change string // overrides one of right
		want   string // how the output begins
	}{
		"all is right":  {"", "handled over TLS: order A-1\nanother queue: ask an administrator for the permission\n"},
		"server's name": {"TLS_SERVER_NAME=localhost", "handled over TLS: "},
		"another name":  {"TLS_SERVER_NAME=redis.example.com", "name the server as its certificate does: "},
		// Our own certificate is one that the CA signed, but it is no CA itself.
		"unknown authority": {"TLS_CA_FILE=" + files.Cert, "name the CA that signed the server's certificate: "},
		"wrong password":    {"PASSWORD=guessed", "look at user and password: "},
		"no key":            {"TLS_KEY_FILE=", "correct the configuration: "},
	} {
		t.Run(name, func(t *testing.T) {
			if !strings.HasPrefix(row.want, "handled") { // those that handle share a queue, and each waits for a message
				t.Parallel()
			}
			cmd := exec.CommandContext(t.Context(), program)
			cmd.Env = os.Environ()
			for _, setting := range right {
				cmd.Env = append(cmd.Env, "DUEQUEUE_REDIS_"+setting)
			}
			if row.change != "" {
				cmd.Env = append(cmd.Env, "DUEQUEUE_REDIS_"+row.change)
			}
			out, err := cmd.CombinedOutput()
			if !strings.HasPrefix(string(out), row.want) || (err == nil) != strings.HasPrefix(row.want, "handled") {
				t.Errorf("%v\n%s\nwant\n%s", err, out, row.want)
			}
		})
	}
}
