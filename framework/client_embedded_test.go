package framework_test

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/embedded"
	"github.com/duequeue/duequeue/framework/fault"
)

func TestOpenEmbedded(t *testing.T) {
	t.Parallel()
	srv, err := embedded.Start()
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	cfg := framework.Config{Redis: framework.RedisConfig{URL: framework.EmbeddedURL}}
	c, err := framework.Open(t.Context(), cfg, framework.WithEmbedded(srv), framework.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(c.Close(), srv.Close()); err != nil {
		t.Error(err)
	}
	if !strings.Contains(log.String(), "embedded Redis: in-memory, nothing survives this process") {
		t.Errorf("log: %s", log.String())
	}
	if _, err := framework.Open(t.Context(), cfg, framework.WithEmbedded(srv)); !errors.Is(err, embedded.ErrClosed) {
		t.Errorf("Open on a closed server: %v", err)
	}
}

func TestEmbeddedOnOneSideOnly(t *testing.T) {
	t.Parallel()
	srv, err := embedded.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = srv.Close() })
	for name, tc := range map[string]struct {
		url  string
		opts []framework.ClientOption
		want string
	}{
		"setting without server": {"embedded", nil, "embedded.Start"},
		"server without setting": {"redis://h", []framework.ClientOption{framework.WithEmbedded(srv)}, `must be "embedded"`},
		"server, no setting":     {"", []framework.ClientOption{framework.WithEmbedded(srv)}, `must be "embedded"`},
		"nil server":             {"embedded", []framework.ClientOption{framework.WithEmbedded(nil)}, "is nil"},
		"nil option":             {"redis://h", []framework.ClientOption{nil}, "option 1 is nil"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := framework.Open(t.Context(), framework.Config{Redis: framework.RedisConfig{URL: tc.url}}, tc.opts...)
			var all fault.ConfigErrors
			if !errors.As(err, &all) || len(all) != 1 || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %T: %v", err, err)
			}
		})
	}
}
