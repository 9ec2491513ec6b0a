package connect

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
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

// read returns the state that counts. The error says that there was never one.
func (f *files[T]) read(ctx context.Context) (T, error) {
	contents, err := readAll(f.paths)
	f.mu.Lock()
	defer f.mu.Unlock()
	if err == nil && (f.contents == nil || !slices.EqualFunc(contents, f.contents, bytes.Equal)) {
		var value T
		value, f.bad = f.parse(contents)
		f.contents = contents
		if f.bad == nil {
			if f.usable {
				f.log.InfoContext(ctx, "files for connections to Redis have changed: new connections use them", "files", f.paths)
			}
			f.value, f.usable = value, true
		}
	}
	if err == nil {
		err = f.bad
	}
	switch {
	case err == nil:
		f.told = ""
	case !f.usable:
		return f.value, err
	case err.Error() != f.told:
		f.told = err.Error()
		f.log.WarnContext(ctx, "files for connections to Redis cannot be used: new connections go on with what was read before", "files", f.paths, "err", err)
	}
	return f.value, nil
}

// mostBytes is the most that a file may have: a thousand authorities have a quarter of it.
const mostBytes = 8 << 20

func readAll(paths []string) ([][]byte, error) {
	contents := make([][]byte, len(paths))
	for i, path := range paths {
		file, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		contents[i], err = io.ReadAll(io.LimitReader(file, mostBytes+1))
		_ = file.Close() // it was only read
		if err == nil && len(contents[i]) > mostBytes {
			err = fmt.Errorf("%s has more than %d bytes", path, mostBytes)
		}
		if err != nil {
			return nil, err
		}
	}
	return contents, nil
}

// Dialer returns how connections are dialed: with the certificates that the files have then.
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
		text := bytes.TrimRight(bytes.TrimPrefix(contents[0], []byte("\xef\xbb\xbf")), "\r\n")
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
