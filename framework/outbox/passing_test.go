package outbox

import (
	"log/slog"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/rediserr"
	"github.com/duequeue/duequeue/registry"
)

// No answer that passes by itself sets a row aside, however often it comes; what the row is to
// blame for does.
func TestAnswersThatPassSetNothingAside(t *testing.T) {
	t.Parallel()
	proxy := lab.StartRefusing(t, lab.StartRedis(t).Addr())
	client, err := framework.Open(t.Context(), framework.Config{Redis: framework.RedisConfig{URL: proxy.URL()}, NoTransfer: true}, framework.WithLogger(slog.New(slog.DiscardHandler)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	to := For(registry.Define[string]("PASSING", "", registry.Codec(codecs.String()), registry.OnForeign(registry.ForeignIgnore))).bind(client)
	send := func(nonce string) error {
		r := &row{op: "offer", queue: "PASSING", payload: []byte("x"), nonce: nonce}
		return to.send(t.Context(), r, 0, framework.AwaitReplicas(0, 0), time.Hour)
	}
	if err := send("00000000000000000000000000000001"); err != nil {
		t.Fatal(err)
	}
	for _, text := range append(rediserr.Passing(), "ERR something else") {
		proxy.Refuse(100, text, func(command string) bool { return command == "evalsha" || command == "eval" })
		err := send("00000000000000000000000000000002")
		if aside := permanent(err) || !passes(err); err == nil || aside != (text == "ERR something else") {
			t.Errorf("%s: %v: set aside: %v", text, err, aside)
		}
	}
}
