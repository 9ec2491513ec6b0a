package connect

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net"
	"slices"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/config"
)

// files are files of which the newest state that can be used counts: they are read anew before
// each use, and what is missing, half written or no pair leaves the state before in force. It is
// safe for concurrent use.
type files[T any] struct {
	paths []string
	parse func(contents [][]byte) (T, error)
	log   *slog.Logger

	mu       sync.Mutex
	contents [][]byte // of the last reading, nil before it
	bad      error    // why these contents cannot be used
	value    T        // of the last contents that could
	usable   bool     // there is a value
	told     string   // the last complaint
}

// read returns the state that counts. The error says that there was never one. No lock is held
// while files are parsed and the log is told.
func (f *files[T]) read(ctx context.Context) (T, error) {
	contents, err := readAll(f.paths)
	var value T
	var bad error
	fresh := err == nil && !f.known(contents)
	if fresh {
		value, bad = f.parse(contents)
	}
	f.mu.Lock()
	var changed, complain bool
	if fresh {
		f.contents, f.bad = contents, bad
		if bad == nil {
			changed = f.usable
			f.value, f.usable = value, true
		}
	}
	if err == nil {
		err = f.bad
	}
	value, usable := f.value, f.usable
	switch {
	case err == nil:
		f.told = ""
	case usable && err.Error() != f.told:
		f.told, complain = err.Error(), true
	}
	f.mu.Unlock()
	if changed {
		f.log.InfoContext(ctx, "files for connections to Redis have changed: new connections use them", "files", f.paths)
	}
	if complain {
		f.log.WarnContext(ctx, "cannot use the files for connections to Redis: new connections use their previous content", "files", f.paths, "err", err)
	}
	if usable {
		err = nil
	}
	return value, err
}

// known reports whether these are the contents of the last reading.
func (f *files[T]) known(contents [][]byte) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.contents != nil && slices.EqualFunc(contents, f.contents, bytes.Equal)
}

func readAll(paths []string) ([][]byte, error) {
	contents := make([][]byte, len(paths))
	for i, path := range paths {
		var err error
		if contents[i], err = config.ReadFile(path); err != nil {
			return nil, err
		}
	}
	return contents, nil
}

// Dialer returns how connections are dialed: with the certificates that the files have then.
//
//go:noinline // see package redisapi
func (t TLS) Dialer(log *slog.Logger, timeout time.Duration) func(ctx context.Context, network, addr string) (net.Conn, error) {
	current := &files[*tls.Config]{log: log, parse: func([][]byte) (*tls.Config, error) {
		config, errs := t.Build()
		if len(errs) > 0 {
			return nil, errs
		}
		return config, nil
	}}
	for _, path := range []string{t.CAFile, t.CertFile, t.KeyFile} {
		if path != "" {
			current.paths = append(current.paths, path)
		}
	}
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		config, err := current.read(ctx)
		if err != nil {
			return nil, err
		}
		return redis.NewDialer(&redis.Options{DialTimeout: timeout, TLSConfig: config})(ctx, network, addr)
	}
}

// Login returns the user and the password for a new connection.
type Login = func(ctx context.Context) (user, password string, err error)

// LoginByFile returns a login with the password that a file has when a connection is made: its
// text without a byte order mark before it and the line's end behind it.
func LoginByFile(log *slog.Logger, user, path string) Login {
	current := &files[string]{log: log, paths: []string{path}, parse: func(contents [][]byte) (string, error) {
		text := bytes.TrimRight(contents[0], "\r\n")
		if len(text) == 0 {
			return "", fmt.Errorf("%s is empty", path)
		}
		return string(text), nil
	}}
	return func(ctx context.Context) (string, string, error) {
		password, err := current.read(ctx)
		return user, password, err
	}
}
