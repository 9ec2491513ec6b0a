package framework_test

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/registry"
)

// The drain of a process that only transfers says how many queues it transferred.
func TestDrainSaysWhatWasOnlyTransferred(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	c, err := framework.Open(t.Context(), framework.Config{Redis: framework.RedisConfig{URL: lab.StartRedis(t).URL()}}, framework.WithLogger(slog.New(slog.NewTextHandler(&out, nil))))
	if err != nil {
		t.Fatal(err)
	}
	e, err := framework.New(c, []framework.Consumer{framework.TransferOnly(registry.Define[string]("MOVED", "", registry.Codec(codecs.String())))})
	if err == nil {
		err = e.Start(t.Context())
	}
	if err == nil {
		err = e.Stop(t.Context())
	}
	if err == nil {
		err = c.Close()
	}
	if err != nil || !strings.Contains(out.String(), "queues=0 only_transferred=1") {
		t.Errorf("%v, %s", err, out.String())
	}
}
