package main

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/internal/lab"
)

// acl runs the command and returns what it printed.
func acl(t *testing.T, stdin string, args ...string) string {
	t.Helper()
	var out, errText bytes.Buffer
	if code := run(t.Context(), append([]string{"acl"}, args...), strings.NewReader(stdin), &out, &errText); code != exitOK {
		t.Fatalf("acl %q: exit %d: %s", args, code, errText.String())
	}
	return out.String()
}

// inline sends a line as a person types it: Redis cuts it as redis-cli does.
func inline(t *testing.T, addr, line string) string {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if _, err := fmt.Fprintf(conn, "%s\r\n", strings.TrimSuffix(line, "\n")); err != nil {
		t.Fatal(err)
	}
	answer, err := bufio.NewReader(conn).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(answer)
}

// strangeQueues have in their names what a shell, redis-cli or a pattern would read.
var strangeQueues = []string{"ORDER_PAYMENT_TIMEOUT", "it's $HOME", "a*b?[c]", `back\slash`, "`id`\"", "{tag}q", "订单", "pre*", `end\`}

// The line makes the user whom ACLRules describes, with the password of standard
// input, and as long as the placeholder stands there none.
func TestACLLineMakesTheUser(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	const password = "a secret: ' \" \\ $x"
	for _, role := range []string{"offer", "serve", "operate"} {
		args := append([]string{"-role", role, "-user", role}, strangeQueues...)
		if got := inline(t, srv.Addr(), acl(t, "", args...)); !strings.HasPrefix(got, "-ERR") || !strings.Contains(got, "hash") {
			t.Errorf("the placeholder was taken: %s", got)
		}
		line := acl(t, password+"\r\n", append([]string{"-password-stdin"}, args...)...)
		if strings.Contains(line, "secret") {
			t.Errorf("the password is printed: %s", line)
		}
		if got := inline(t, srv.Addr(), line); got != "+OK" {
			t.Fatalf("%s: %s\n%s", role, got, line)
		}
		users := srv.NewClient(func(o *redis.Options) { o.Username, o.Password = role, password })
		if err := users.Ping(t.Context()).Err(); err != nil {
			t.Errorf("%s: %v", role, err)
		}
		if err := users.Do(t.Context(), "EVAL", "return redis.call('ZCARD', KEYS[1])", 1, "redisson_delay_queue_timeout:{it's $HOME}").Err(); err != nil {
			t.Errorf("%s: %v", role, err)
		}
		if err := users.LRange(t.Context(), "elsewhere", 0, 1).Err(); err == nil || !strings.Contains(err.Error(), "NOPERM") {
			t.Errorf("%s reads another key: %v", role, err)
		}
	}
}

// -add gives a user what it lacks, and leaves it all that it has.
func TestACLAdds(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	root := srv.Client()
	inline(t, srv.Addr(), acl(t, "pw\n", "-password-stdin", "-user", "svc", "ORDERS"))
	inline(t, srv.Addr(), "ACL SETUSER svc resetkeys ~STAYS &*")
	line := acl(t, "", "-add", "keys", "-user", "svc", "ORDERS")
	if got := inline(t, srv.Addr(), line); got != "+OK" {
		t.Fatalf("%s: %s", line, got)
	}
	users := srv.NewClient(func(o *redis.Options) { o.Username, o.Password = "svc", "pw" })
	for _, key := range []string{"STAYS", "ORDERS", "redisson_delay_queue:{ORDERS}"} {
		if err := users.LRange(t.Context(), key, 0, 1).Err(); err != nil {
			t.Errorf("%s: %v", key, err)
		}
	}
	root.Do(t.Context(), "ACL", "SETUSER", "svc", "resetchannels", "-lrange")
	for kind, rule := range map[string]string{"channels": "'&redisson_delay_queue_channel:{ORDERS}'", "commands": "+lrange"} {
		line := acl(t, "", "-add", kind, "-user", "svc", "ORDERS")
		if got := inline(t, srv.Addr(), line); got != "+OK" || !strings.HasPrefix(line, "ACL SETUSER svc ") || !strings.Contains(line, rule) || strings.Contains(line, "reset") || strings.Contains(line, "~") {
			t.Errorf("%s: %s", line, got)
		}
	}
	for _, args := range [][]string{{"-add", "all", "Q"}, {"-add", "keys", "-file", "Q"}, {"-add", "keys", "-password-stdin", "Q"}} {
		if code := run(t.Context(), append([]string{"acl"}, args...), strings.NewReader("pw"), io.Discard, io.Discard); code != exitUsage {
			t.Errorf("%q: exit %d", args, code)
		}
	}
}

// A shell makes the same arguments of the line as Redis does.
func TestACLLineInAShell(t *testing.T) {
	t.Parallel()
	line := strings.TrimSpace(acl(t, "", strangeQueues...))
	out, err := exec.Command("sh", "-c", "printf '%s\\n' "+line).Output()
	if err != nil {
		t.Fatal(err)
	}
	rules, err := admin.ACLRules(admin.RoleServe, strangeQueues...)
	if err != nil {
		t.Fatal(err)
	}
	want := append([]string{"ACL", "SETUSER", "duequeue", "reset", "on", "#SHA-256-OF-THE-PASSWORD"}, rules...)
	if got := strings.Split(strings.TrimSpace(string(out)), "\n"); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// Redis loads the file form, and -json has all of it.
func TestACLFile(t *testing.T) {
	t.Parallel()
	sum := sha256.Sum256([]byte("pw"))
	line := acl(t, "pw", append([]string{"-file", "-password-stdin", "-user", "svc"}, strangeQueues...)...)
	if want := "user svc on #" + hex.EncodeToString(sum[:]) + " resetkeys "; !strings.HasPrefix(line, want) {
		t.Fatalf("%s\nwant %s…", line, want)
	}
	file := filepath.Join(t.TempDir(), "users.acl")
	if err := os.WriteFile(file, []byte("user default on nopass ~* &* +@all\n"+line), 0o600); err != nil {
		t.Fatal(err)
	}
	srv := lab.StartRedis(t, lab.Args("--aclfile", file))
	users := srv.NewClient(func(o *redis.Options) { o.Username, o.Password = "svc", "pw" })
	if err := users.Ping(t.Context()).Err(); err != nil {
		t.Error(err)
	}
	var u struct {
		Name                string `json:"user"`
		Role, Command, File string
		Rules               []string
	}
	if err := json.Unmarshal([]byte(acl(t, "", "-json", "-user", "svc", "Q")), &u); err != nil {
		t.Fatal(err)
	}
	if u.Name != "svc" || u.Role != "serve" || !slices.Contains(u.Rules, "~Q") || !strings.Contains(u.Command, "'~Q'") || !strings.HasPrefix(u.File, "user svc on #") {
		t.Errorf("%+v", u)
	}
}
