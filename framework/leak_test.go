package framework_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/jackson"
	"github.com/duequeue/duequeue/codecs/kryo5"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// everything keeps all that is said: logs as three handlers write them, and texts.
type everything struct {
	mu   sync.Mutex
	text bytes.Buffer // logs by slog's own handlers, and all that Note was given
	raw  []string     // lines of a handler that quotes nothing
}

func (e *everything) Write(p []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.text.Write(p)
}

func (e *everything) note(format string, args ...any) { fmt.Fprintf(e, format+"\n", args...) }

// noteError writes an error and all within it down in every way that people do.
func (e *everything) noteError(err error) {
	for ; err != nil; err = errors.Unwrap(err) {
		e.note("%v %+v %#v %q", err, err, err, err)
		if many, ok := err.(interface{ Unwrap() []error }); ok {
			for _, one := range many.Unwrap() {
				e.noteError(one)
			}
		}
	}
}

// logger logs at debug by TextHandler, JSONHandler and one that prints values raw.
func (e *everything) logger() *slog.Logger {
	o := &slog.HandlerOptions{Level: slog.LevelDebug}
	return slog.New(slog.NewMultiHandler(slog.NewTextHandler(e, o), slog.NewJSONHandler(e, o), rawHandler{all: e}))
}

// all returns what was said.
func (e *everything) all() (text string, raw []string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.text.String(), append([]string(nil), e.raw...)
}

// rawHandler prints values as they are, as many handlers of users do.
type rawHandler struct {
	all   *everything
	attrs []slog.Attr
}

func (rawHandler) Enabled(context.Context, slog.Level) bool { return true }
func (h rawHandler) WithGroup(string) slog.Handler          { return h }
func (h rawHandler) WithAttrs(a []slog.Attr) slog.Handler {
	return rawHandler{h.all, append(append([]slog.Attr(nil), h.attrs...), a...)}
}

func (h rawHandler) Handle(_ context.Context, r slog.Record) error {
	line := r.Message
	add := func(a slog.Attr) bool {
		if a.Key != "stack" { // of several lines, from the Go runtime
			line += fmt.Sprintf(" %s=%+v", a.Key, a.Value.Any())
		}
		return true
	}
	for _, a := range h.attrs {
		add(a)
	}
	r.Attrs(add)
	h.all.mu.Lock()
	defer h.all.mu.Unlock()
	h.all.raw = append(h.all.raw, line)
	h.all.text.WriteString(line + "\n")
	return nil
}

// Whatever fails in opening and offering, no password is shown: not in errors, logs,
// nor by printing the configuration or the client.
func TestNoPasswordIsShown(t *testing.T) {
	t.Parallel()
	const secret = "s3cr3t-Zq8"
	srv := lab.StartRedis(t, lab.TLS(), lab.Password(secret+"-right"))
	files := srv.TLSFiles()
	var said everything
	q := registry.Define[string]("SECRETS", "", registry.Codec(codecs.String()))
	for name, r := range map[string]framework.RedisConfig{
		"wrong password":     {URL: "redis://:" + secret + "@" + srv.Addr()},
		"wrong user":         {Addrs: []string{srv.Addr()}, Username: "nobody", Password: secret},
		"unreachable":        {URL: "redis://user:" + secret + "@127.0.0.1:1"},
		"not escaped":        {URL: "redis://user:" + secret + "#/%zz@" + srv.Addr()},
		"slash":              {URL: "redis://user:" + secret + "/x@" + srv.Addr()},
		"no scheme":          {URL: "user:" + secret + "@" + srv.Addr()},
		"query":              {URL: "redis://" + srv.Addr() + "?password=" + secret},
		"database":           {URL: "redis://:" + secret + "@" + srv.Addr() + "/" + "zero"},
		"url and addresses":  {URL: "redis://:" + secret + "@" + srv.Addr(), Addrs: []string{srv.Addr()}, Password: secret},
		"address with login": {Addrs: []string{"user:" + secret + "@" + srv.Addr()}},
		"sentinel":           {Addrs: []string{srv.Addr()}, Mode: framework.ModeSentinel, MasterName: "m", SentinelPassword: secret, Password: secret},
		"no cluster":         {URL: "redis://:" + secret + "-right@" + srv.Addr(), Mode: framework.ModeCluster},
		"TLS on plain":       {URL: "rediss://:" + secret + "@" + srv.Addr()},
		"no CA":              {URL: "rediss://:" + secret + "@" + srv.TLSAddr()},
		"key is no key":      {URL: "rediss://:" + secret + "@" + srv.TLSAddr(), TLS: framework.TLSConfig{CAFile: files.CA, CertFile: files.Cert, KeyFile: files.CA}},
		"works":              {URL: "redis://:" + secret + "-right@" + srv.Addr()},
	} {
		cfg := framework.Config{Redis: r}
		said.note("%v %+v %#v %v", cfg, cfg, cfg, cfg.Redis)
		said.logger().Debug("configured", "config", cfg, "redis", cfg.Redis)
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		client, err := framework.Open(ctx, cfg, framework.WithLogger(said.logger()))
		said.noteError(err)
		if (err == nil) != (name == "works") {
			t.Errorf("%s: %v", name, err)
		}
		if err == nil {
			said.note("%v %+v %#v %+v", client, client, client, client.Config())
			srv.Client().ConfigSet(ctx, "maxmemory", "1")
			_, err = framework.Bind(client, q).Offer(ctx, "x", 0)
			said.noteError(err)
			said.noteError(client.Close())
		}
		cancel()
	}
	text, _ := said.all()
	if at := strings.Index(text, secret); at >= 0 {
		t.Errorf("shown: …%s…", text[max(0, at-300):min(len(text), at+40)])
	}
	if !strings.Contains(text, "refuses") || !strings.Contains(text, "no Redis answers") {
		t.Error("the failures left no trace: nothing was tested")
	}
}

// bean is a payload with a field of its own.
type bean struct {
	Name  string `java:"name" json:"name"`
	Count int8   `java:"count" json:"count"`
}

func (bean) JavaClass() string { return "demo.Bean" }

// Whatever becomes of a message, what it says is in no log, span, dead-store reason or
// health page, unless the handler itself says so. What the handler or a payload does
// say cannot break a line: it is escaped and bounded.
func TestNoPayloadIsShownAndNoLineIsForged(t *testing.T) {
	t.Parallel()
	const marker = "Pa9l0ad"
	const forged = "\nlevel=INFO msg=forged\r\x1b[2J\u202e\x9b\xff"
	srv := lab.StartRedis(t)
	var said everything
	spans := tracetest.NewInMemoryExporter()
	client, err := framework.Open(t.Context(), framework.Config{Redis: framework.RedisConfig{URL: srv.URL()}},
		framework.WithLogger(said.logger()), framework.WithTracerProvider(trace.NewTracerProvider(trace.WithSyncer(spans))))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	texts := registry.Define[string]("TEXTS", "", registry.Codec(codecs.String()), registry.MaxAttempts(1), registry.MaxPayload(4<<20))
	small := registry.Define[string]("SMALL", "", registry.Codec(codecs.String()), registry.MaxPayload(64))
	beans := registry.Define[bean]("BEANS", "", registry.Codec(kryo5.New()), registry.MaxAttempts(1))
	jsons := registry.Define[bean]("JSONS", "", registry.Codec(jackson.JSON()), registry.MaxAttempts(1))
	longs := registry.Define[int64]("LONGS", "", registry.Codec(codecs.Long()), registry.MaxAttempts(1))
	times := registry.Define[time.Time]("TIMES", "", registry.Codec(codecs.String()), registry.MaxAttempts(1))
	engine, err := framework.New(client, []framework.Consumer{
		framework.Consume(texts, handlers.Func[string](func(_ context.Context, d *handlers.Delivery[string]) error {
			switch kind, _, _ := strings.Cut(d.Payload, " "); kind {
			case "panics":
				panic(d)
			case "panics-payload":
				panic(struct{ payload string }{d.Payload})
			case "rejects":
				return handlers.Reject("no" + forged + strings.Repeat("x", 1<<20))
			case "fails":
				return errors.New("no" + forged + strings.Repeat("x", 1<<20))
			}
			return nil
		})),
		framework.Consume(small, handlers.Func[string](func(context.Context, *handlers.Delivery[string]) error { return nil })),
		framework.Consume(beans, handlers.Func[bean](func(context.Context, *handlers.Delivery[bean]) error { return errors.New("no") })),
		framework.Consume(jsons, handlers.Func[bean](func(context.Context, *handlers.Delivery[bean]) error { return errors.New("no") })),
		framework.Consume(longs, handlers.Func[int64](func(context.Context, *handlers.Delivery[int64]) error { return nil })),
		framework.Consume(times, handlers.Func[time.Time](func(context.Context, *handlers.Delivery[time.Time]) error { return nil })),
	})
	if err != nil {
		t.Fatal(err)
	}
	rdb, want := srv.Client(), map[string]int64{"TEXTS": 4, "SMALL": 1, "BEANS": 4, "JSONS": 4, "LONGS": 1, "TIMES": 1}
	good, err := kryo5.New().Encode(map[string]any{"name": marker})
	if err != nil {
		t.Fatal(err)
	}
	for key, bodies := range map[string][]any{
		"TEXTS": {"fine " + marker, "panics " + marker, "panics-payload " + marker, "rejects " + marker, "fails " + marker},
		"SMALL": {strings.Repeat(marker, 100)},
		"BEANS": {good, string(good) + marker, "\x01\x00evil.Class" + forged + marker, "\xff" + marker},
		"JSONS": {`{"name":"` + marker + `"}`, `{"name":1,"count":"` + marker + `"}`, `"` + marker + `"`, `{"name":"` + marker},
		"LONGS": {"12" + marker},
		"TIMES": {marker},
	} {
		if err := rdb.RPush(t.Context(), key, bodies...).Err(); err != nil {
			t.Fatal(err)
		}
	}
	if err := rdb.ZAdd(t.Context(), "redisson_delay_queue_timeout:{TEXTS}", redisZ("no element "+marker)).Err(); err != nil {
		t.Fatal(err)
	}
	want["TEXTS"]++
	if err := engine.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	for key, n := range want {
		lab.WaitFor(t, key+" is dead", func() bool {
			have := rdb.XLen(t.Context(), "duequeue:dead:{"+key+"}").Val()
			if key == "TEXTS" && have != n { // failures alone look like an outage, which costs no attempt
				rdb.RPush(t.Context(), key, "fine")
			}
			return have == n
		})
	}
	for _, path := range []string{"/livez", "/readyz"} {
		w := httptest.NewRecorder()
		engine.HealthHandler().ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		said.note("%s", w.Body)
	}
	if err := engine.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	for key := range want {
		q := registry.Define[[]byte](key, "", registry.Codec(codecs.ByteArray()))
		dead, err := framework.Bind(client, q).Dead().Page(t.Context(), "", 100)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range dead {
			said.note("dead %s %s %s", m.Reason, m.Detail, m.ID)
			if codecs.Printable(m.Detail, 4<<10) != m.Detail {
				t.Errorf("%s: detail %q", key, m.Detail)
			}
		}
	}
	for _, s := range spans.GetSpans() {
		text, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		said.note("%s %+v", text, s)
		if codecs.Printable(s.Status.Description, 1<<10) != s.Status.Description {
			t.Errorf("span %s: status %q", s.Name, s.Status.Description)
		}
	}
	text, raw := said.all()
	for rest := text; ; {
		at := strings.Index(rest, marker)
		if at < 0 {
			break
		}
		t.Errorf("shown: …%q…", rest[max(0, at-200):at+len(marker)])
		rest = rest[at+len(marker):]
	}
	for _, line := range raw {
		if len(line) > 16<<10 || strings.ContainsFunc(line, func(r rune) bool { return !strconv.IsGraphic(r) }) || strings.ContainsRune(line, '\ufffd') {
			t.Errorf("a line of %d bytes: %.300q", len(line), line)
		}
	}
	if len(raw) < 15 || !strings.Contains(text, `no\nlevel=INFO msg=forged\r\x1b[2J\u202e\x9b\xff`) {
		t.Errorf("%d lines, and the handler's own words are not among them", len(raw))
	}
}

// redisZ is an element that has long been due.
func redisZ(member string) redis.Z { return redis.Z{Score: 1, Member: member} }
