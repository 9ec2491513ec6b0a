package main

import (
	"bytes"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/env"
	"github.com/duequeue/duequeue/framework/internal/lab"
)

// The password of these tests; each half betrays it, raw and percent-encoded.
const secret = "s3cr3t/#%Zq8"

var secretHalves = []string{"s3cr3t", "Zq8"}

// login is a URL of a user with the password.
func login(scheme, user, addr string) string {
	return (&url.URL{Scheme: scheme, User: url.UserPassword(user, secret), Host: addr}).String()
}

// program runs the program and returns all that it says. It must show neither the
// password nor a character that a terminal obeys.
func program(t *testing.T, args ...string) (code int, said string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(t.Context(), args, strings.NewReader(""), &out, &errs)
	said = out.String() + errs.String()
	for _, half := range secretHalves {
		if strings.Contains(said, half) {
			t.Errorf("%.60q: shows the password: %s", args, said)
		}
	}
	obeyed := func(r rune) bool {
		return r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r))
	}
	if !utf8.ValidString(said) || strings.ContainsFunc(said, obeyed) {
		t.Errorf("%.60q: commands the terminal: %q", args, said)
	}
	return code, said
}

// connecting are the commands that use Redis.
var connecting = []string{
	"dead list Q", "dead show Q 1-1", "dead redrive Q 1-1", "dead redrive -all Q", "dead drop Q 1-1", "dead export Q",
	"-json dead list Q", "doctor Q", "-json doctor", "migrate -layout -dry-run Q", "-json migrate -layout Q",
	"migrate -layout -follow Q", "queues", "counts Q", "pending Q", "find Q 4711", "show Q 1-1", "cancel -yes Q 18bcfe568000-a1b2c3d4e5f601", "pause -reason x Q", "audit",
}

// listen starts a server that is no Redis: with echo it sends back what it gets, else
// it is silent.
func listen(t *testing.T, echo bool) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	if echo {
		go func() {
			for c, err := l.Accept(); err == nil; c, err = l.Accept() {
				go func() {
					_, _ = io.Copy(c, c)
					_ = c.Close()
				}()
			}
		}()
	}
	return l.Addr().String()
}

// No command shows the password, however it was given and whatever fails.
func TestNoCommandShowsThePassword(t *testing.T) {
	srv := lab.StartRedis(t)
	rdb := srv.Client()
	for _, rules := range []string{"poor on >" + secret + " ~* +ping", "half on >" + secret + " ~* +ping +info"} {
		args := []any{"ACL", "SETUSER"}
		for _, rule := range strings.Fields(rules) {
			args = append(args, rule)
		}
		if err := rdb.Do(t.Context(), args...).Err(); err != nil {
			t.Fatal(err)
		}
	}
	// A server, or a proxy, that knows no login repeats the whole of it in its answer.
	without := lab.StartRedis(t, lab.Args("--rename-command", "AUTH", "", "--rename-command", "HELLO", ""))
	addr, silent, echo := srv.Addr(), listen(t, false), listen(t, true)
	file := filepath.Join(t.TempDir(), "none.pem")
	for _, c := range []struct {
		name, url string
		env       map[string]string // DUEQUEUE_REDIS_…
		says      string
	}{
		{"no such host", login("redis", "u", "host.invalid:6379"), nil, "no Redis answers on host.invalid:6379"},
		{"no server there", login("redis", "u", "127.0.0.1:1"), nil, "no Redis answers on 127.0.0.1:1"},
		{"no port", login("redis", "poor", addr) + "x", nil, "percent-encoded"},
		{"wrong user", login("redis", "nobody", addr), nil, "WRONGPASS"},
		{"wrong password apart", "redis://nobody@" + addr, map[string]string{"PASSWORD": secret}, "WRONGPASS"},
		{"may nothing", login("redis", "poor", addr), nil, "NOPERM"},
		{"may little", login("redis", "half", addr), nil, "NOPERM"},
		{"no login there", login("redis", "u", without.Addr()), nil, "unknown command"},
		{"no TLS there", login("rediss", "u", addr), map[string]string{"DIAL_TIMEOUT": "20ms"}, "no Redis answers"},
		{"no certificate", login("rediss", "u", addr), map[string]string{"TLS_CA_FILE": file}, "none.pem"},
		{"silent", login("redis", "u", silent), map[string]string{"READ_TIMEOUT": "20ms"}, "timeout"},
		{"silent TLS", login("rediss", "u", silent), map[string]string{"DIAL_TIMEOUT": "20ms"}, "no Redis answers"},
		{"echo", login("redis", "u", echo), map[string]string{"READ_TIMEOUT": "20ms"}, "127.0.0.1"},
		{"no cluster", login("redis", "half", addr), map[string]string{"MODE": "cluster"}, "127.0.0.1"},
		{"no Sentinel", "", map[string]string{"ADDRS": addr, "MASTER_NAME": "m", "PASSWORD": secret, "SENTINEL_PASSWORD": secret}, "127.0.0.1"},
		{"not escaped", "redis://u:" + secret + "@" + addr, nil, "percent-encoded"},
		{"no host", "redis://u:" + secret, nil, "redis.url"},
		{"no host, no slash", "redis://u:s3cr3t", nil, "redis.url"},
		{"no scheme, no host", "u:s3cr3t", nil, "redis.url"},
		{"no colon", "redis://s3cr3t@" + addr, nil, "needs redis.password"},
		{"query", "redis://" + addr + "?password=s3cr3t", nil, "no ?query"},
		{"wrong database", login("redis", "u", addr) + "/zero", nil, "number of a database"},
		{"two passwords", login("redis", "u", addr), map[string]string{"PASSWORD": secret + "x"}, "another password"},
		{"address with login", "", map[string]string{"ADDRS": "redis://u:s3cr3t,Zq8@" + addr}, "must be host:port"},
		{"unknown setting", login("redis", "u", addr), map[string]string{"PASSWRD": secret}, "did you mean DUEQUEUE_REDIS_PASSWORD"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for name, value := range c.env {
				t.Setenv("DUEQUEUE_REDIS_"+name, value)
			}
			for i, command := range connecting {
				t.Setenv(env.RedisVariable, c.url)
				args := strings.Fields(command)
				if i%2 == 1 { // as a flag
					t.Setenv(env.RedisVariable, "")
					args = append([]string{"-redis", c.url}, args...)
				}
				if code, said := program(t, args...); code == exitOK || !strings.Contains(said, c.says) {
					t.Errorf("%s: %d, %q is not in: %s", command, code, c.says, said)
				}
			}
		})
	}
}

// Where a URL stands in the wrong place, the message about it does not repeat its login.
func TestMisplacedURLKeepsThePassword(t *testing.T) {
	at := login("redis", "u", "127.0.0.1:1")
	for _, args := range [][]string{
		{at},
		{at, "dead", "list", "Q"},
		{"-" + at},
		{"---redis=" + at},
		{"-url=" + at, "doctor"},
		{"-json=" + at, "doctor"},
		{"dead", at, "list", "Q"},
		{"dead", "list", "Q", "-redis=" + at},
		{"dead", "list", "-limit", at, "Q"},
		{"dead", "list", "-since", at, "Q"},
		{"dead", "list", "-codec", at, "Q"},
		{"doctor", "Q", "--redis=" + at},
		{"doctor", "-view", at},
		{"migrate", "-interval", at, "Q"},
		{"migrate", "-layout", "-codec", at, "Q"},
		{"acl", "-role", at, "Q"},
		{"doctor", "Q", "-redis=redis://u:" + secret + "@h"},
		{"help", at},
		{"decode", "-in", at},
		{"decode", "-codec", at},
		{"-url=redis://:s3cr3t", "doctor"},
		{"dead", "list", "Q", "-redis=redis://:s3 cr3t Zq8@h"},
	} {
		if code, _ := program(t, args...); code == exitOK {
			t.Errorf("%q succeeded", args)
		}
	}
	t.Setenv(env.RedisVariable, at)
	for _, args := range []string{"", "help", "help doctor", "-h", "doctor -h", "dead -h", "acl Q", "version"} {
		program(t, strings.Fields(args)...)
	}
	if os.Getenv(env.RedisVariable) != at {
		t.Error("the variable was not set: nothing was tested")
	}
}

// Names, payloads and reasons of others reach no terminal as they are.
func TestNoCommandPrintsWhatATerminalObeys(t *testing.T) {
	const hostile = "Q\x1b[2J\r\u202e\u009b31m\x9b\x00end"
	srv := lab.StartRedis(t)
	rdb := srv.Client()
	t.Setenv(env.RedisVariable, srv.URL())
	offered(t, srv, hostile, "\x00"+hostile) // malformed
	for _, id := range []string{"1-1", "2-1"} {
		err := rdb.XAdd(t.Context(), &redis.XAddArgs{Stream: "duequeue:dead:{" + hostile + "}", ID: id, Values: []any{
			"body", "\x03" + hostile, "reason", "rejected" + hostile, "detail", hostile, "delivered", 1, "failed", 1, "at", 1, "digest", hostile, hostile, hostile,
		}}).Err()
		if err != nil {
			t.Fatal(err)
		}
	}
	said := ""
	for _, args := range [][]string{
		{"dead", "list"},
		{"-json", "dead", "list"},
		{"dead", "export"},
		{"doctor"},
		{"-json", "doctor"},
		{"migrate", "-layout", "-dry-run"},
		{"-json", "migrate", "-layout"},
		{"acl"},
		{"dead", hostile},
		{"counts"},
		{"pending"},
		{"-json", "pending"},
		{"ready"},
		{"show", "-key", hostile},
		{"dead", "groups"},
		{"-json", "dead", "groups"},
		{"pause", "-reason", hostile, "-by", hostile, "-wait", "0"},
		{"ps"},
		{"inflight"},
		{"partitions"},
		{"resume", "-by", hostile, "-wait", "0"},
		{"cancel", "-yes", "-key", "-reason", hostile, "-by", hostile, hostile},
		{"audit"},
		{"-json", "audit"},
	} {
		_, text := program(t, append(args, hostile)...)
		said += text
	}
	for _, args := range [][]string{
		{"dead", "show", hostile, "1-1"},
		{"-json", "dead", "show", hostile, "1-1"},
		{"dead", "show", hostile, hostile},
		{"dead", "redrive", hostile, "1-1"},
		{"dead", "drop", hostile, "2-1", hostile},
		{"find", hostile, hostile},
		{"-json", "find", hostile, hostile},
		{"queues"},
		{"-json", "queues"},
		{"-context", hostile, "queues"},
		{"-config", hostile, "queues"},
		{hostile},
		{"-" + hostile},
	} {
		_, text := program(t, args...)
		said += text
	}
	// A key of another type: Redis's own words about it.
	if err := rdb.Set(t.Context(), "duequeue:dead:{W"+hostile+"}", "x", 0).Err(); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"dead", "list"}, {"doctor"}} {
		_, text := program(t, append(args, "W"+hostile)...)
		said += text
	}
	if strings.Count(said, "[2J") < 15 {
		t.Errorf("little of it was shown: %s", said)
	}
}
