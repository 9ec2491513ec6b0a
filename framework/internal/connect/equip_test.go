package connect

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/redisapi"
	"github.com/duequeue/duequeue/framework/internal/rediserr"
)

// silent accepts connections and says nothing.
func silent(t *testing.T) (addr string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	all.Go(func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			all.Go(func() { _, _ = io.Copy(io.Discard, c) })
		}
	})
	t.Cleanup(func() { _ = listener.Close(); all.Wait() })
	return listener.Addr().String()
}

// Whatever fails before a command is written is known to have done nothing, also where the time
// of the caller ends first.
func TestWhatWasNotSentIsKnown(t *testing.T) {
	t.Parallel()
	srv, locked := lab.StartRedis(t, lab.TLS()), lab.StartRedis(t, lab.Password("geheim"))
	trust := TLS{CAFile: srv.TLSFiles().CA}
	quiet := slog.New(slog.DiscardHandler)
	noFile := TLS{CAFile: filepath.Join(t.TempDir(), "gone")}
	gone := lab.StartRedis(t)
	gone.Kill()
	for name, at := range map[string]Options{
		"refused":               {Addrs: []string{gone.Addr()}},
		"unknown host":          {Addrs: []string{"nowhere.invalid:6379"}},
		"unknown authority":     {Addrs: []string{srv.TLSAddr()}, Dialer: TLS{}.Dialer(quiet, 500*time.Millisecond)},
		"no client certificate": {Addrs: []string{srv.TLSAddr()}, Dialer: trust.Dialer(quiet, 500*time.Millisecond)},
		"no file":               {Addrs: []string{srv.TLSAddr()}, Dialer: noFile.Dialer(quiet, 500*time.Millisecond)},
		"TLS says nothing":      {Addrs: []string{silent(t)}, Dialer: TLS{}.Dialer(quiet, 500*time.Millisecond)},
		"greeting unanswered":   {Addrs: []string{silent(t)}},
		"wrong password":        {Addrs: []string{locked.Addr()}, Password: "x"},
		"no login": {Addrs: []string{srv.Addr()}, CredentialsProviderContext: func(context.Context) (string, string, error) {
			return "", "", errors.New("no token")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rdb := shared(t, at)
			for kind, send := range map[string]func(ctx context.Context) error{
				"command": func(ctx context.Context) error { return rdb.Incr(ctx, "n").Err() },
				"batch": func(ctx context.Context) error {
					pipe := rdb.Pipeline()
					first, second := pipe.Incr(ctx, "n"), pipe.Incr(ctx, "n")
					_, err := pipe.Exec(ctx)
					if rediserr.IsAmbiguous(first.Err()) || rediserr.IsAmbiguous(second.Err()) || first.Err() == nil || second.Err() == nil {
						t.Errorf("batch: %v, %v", first.Err(), second.Err())
					}
					return err
				},
			} {
				ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
				err := send(ctx)
				cancel()
				if err == nil || rediserr.IsAmbiguous(err) || !rediserr.MayPass(err) {
					t.Errorf("%s: %T %v: ambiguous %v, may pass %v", kind, err, err, rediserr.IsAmbiguous(err), rediserr.MayPass(err))
				}
			}
		})
	}
	t.Run("pool is in use", func(t *testing.T) {
		t.Parallel()
		rdb := shared(t, Options{Addrs: []string{srv.Addr()}, PoolSize: 1})
		conn := rdb.(*redis.Client).Conn()
		defer func() { _ = conn.Close() }()
		if err := conn.Ping(t.Context()).Err(); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		if err := rdb.Incr(ctx, "n").Err(); err == nil || rediserr.IsAmbiguous(err) {
			t.Errorf("%T %v", err, err)
		}
	})
	t.Run("sent", func(t *testing.T) {
		t.Parallel()
		proxy := lab.StartProxy(t, lab.StartRedis(t).Addr())
		rdb := shared(t, Options{Addrs: []string{proxy.Addr()}})
		if err := rdb.Ping(t.Context()).Err(); err != nil {
			t.Fatal(err)
		}
		proxy.Hold()
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		if err := rdb.Incr(ctx, "n").Err(); !rediserr.IsAmbiguous(err) {
			t.Errorf("%T %v", err, err)
		}
	})
}

// Connections that lead to a server which is no primary any more are closed, by whatever words it
// says so, and for single commands, batches and scripts.
func TestConnectionsToTheWrongServerAreClosed(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	for i, text := range []string{
		"READONLY You can't write against a read only replica.",
		"ERR READONLY You can't write against a read only instance",
		"ERR Error running script (call to f_1): @user_script:2: @user_script: 2: -READONLY You can't write against a read only replica.",
		"MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
	} {
		for kind, send := range map[string]func(rdb redisapi.Client, key string) error{
			"command": func(rdb redisapi.Client, key string) error { return rdb.Incr(t.Context(), key).Err() },
			"batch": func(rdb redisapi.Client, key string) error {
				pipe := rdb.Pipeline()
				pipe.Get(t.Context(), "none")
				n := pipe.Incr(t.Context(), key)
				_, _ = pipe.Exec(t.Context())
				return n.Err()
			},
		} {
			t.Run(fmt.Sprint(kind, i), func(t *testing.T) {
				t.Parallel()
				proxy := lab.StartRefusing(t, srv.Addr())
				rdb := shared(t, Options{Addrs: []string{proxy.Addr()}, PoolSize: 8})
				rush(t, rdb)
				proxy.RefuseOpen(text, func(command string) bool { return command == "incr" })
				failed := 0
				for range 4 {
					if err := send(rdb, fmt.Sprint("n", i, kind)); err != nil {
						failed++
					}
				}
				if failed != 1 {
					t.Errorf("%d calls were refused, want the first one alone", failed)
				}
			})
		}
	}
}

// Clients that are gone are forgotten.
func TestIdleForgetsNodesThatAreGone(t *testing.T) {
	t.Parallel()
	stays := redis.NewClient(&redis.Options{Addr: "127.0.0.1:1"})
	defer func() { _ = stays.Close() }()
	idle := NewIdle(stays, 1)
	for range 10 {
		func() {
			gone := redis.NewClient(&redis.Options{Addr: "127.0.0.1:1"})
			idle.nodes = append(idle.nodes, weakly(Equip(gone)))
			_ = gone.Close()
		}()
	}
	lab.WaitFor(t, "nodes that are gone are kept", func() bool { runtime.GC(); return len(idle.present()) == 1 })
	if idle.present()[0] != stays {
		t.Error("the node that is there was forgotten")
	}
	runtime.KeepAlive(stays)
}

// Certificates and passwords are read anew; what is broken meanwhile changes nothing.
func TestFilesAreReadAnew(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	old, renewed := lab.StartRedis(t, lab.TLS()), lab.StartRedis(t, lab.TLS())
	dir := t.TempDir()
	mine := TLS{CAFile: filepath.Join(dir, "ca"), CertFile: filepath.Join(dir, "cert"), KeyFile: filepath.Join(dir, "key")}
	put := func(path, from string) {
		t.Helper()
		text, err := os.ReadFile(from)
		if from == "" {
			text, err = []byte("half"), nil
		}
		if err == nil {
			err = os.WriteFile(path, text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	all := func(f lab.TLSFiles) { put(mine.CAFile, f.CA); put(mine.CertFile, f.Cert); put(mine.KeyFile, f.Key) }
	dial := mine.Dialer(slog.New(slog.NewTextHandler(&log, nil)), time.Minute)
	reaches := func(srv *lab.Server) bool {
		t.Helper()
		conn, err := dial(t.Context(), "tcp", srv.TLSAddr())
		if err != nil {
			return false
		}
		rdb := redis.NewClient(&redis.Options{MaxRetries: -1, Dialer: func(context.Context, string, string) (net.Conn, error) { return conn, nil }})
		defer func() { _ = rdb.Close() }()
		return rdb.Ping(t.Context()).Err() == nil
	}
	if reaches(old) {
		t.Error("it is there without files")
	}
	all(old.TLSFiles())
	if !reaches(old) || reaches(renewed) {
		t.Error("the first files do not lead to the first server alone")
	}
	put(mine.CertFile, renewed.TLSFiles().Cert) // no pair with the key
	put(mine.CAFile, "")
	for range 2 {
		if !reaches(old) {
			t.Error("files that are half written end what worked")
		}
	}
	if err := os.Remove(mine.KeyFile); err != nil || !reaches(old) {
		t.Error("a file that is missing ends what worked")
	}
	all(renewed.TLSFiles())
	if reaches(old) || !reaches(renewed) {
		t.Error("the new files do not count")
	}
	if n := strings.Count(log.String(), "level=WARN"); n != 2 {
		t.Errorf("%d warnings, want one for each thing that was wrong:\n%s", n, log.String())
	}

	login := LoginByFile(slog.New(slog.NewTextHandler(&log, nil)), "ann", filepath.Join(dir, "password"))
	for i, c := range []struct{ text, want string }{
		{"", ""}, {"one\n", "one"}, {"", "one"}, {"\r\n", "one"}, {"\xef\xbb\xbftwo \r\n", "two "}, {"three", "three"},
	} {
		if err := os.WriteFile(filepath.Join(dir, "password"), []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		user, got, err := login(t.Context())
		if got != c.want || user != "ann" || (err != nil) != (c.want == "") {
			t.Errorf("%d: %q: got %q %q %v", i, c.text, user, got, err)
		}
	}
	if strings.Contains(log.String(), "one") || strings.Contains(log.String(), "two") {
		t.Errorf("the log shows passwords:\n%s", log.String())
	}
	large := &files[*tls.Config]{paths: []string{"/dev/zero"}, log: slog.New(slog.DiscardHandler)}
	if _, err := large.read(t.Context()); err == nil {
		t.Error("a file without an end was read")
	}
}
