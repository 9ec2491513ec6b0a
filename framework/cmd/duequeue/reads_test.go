package main

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs/kryo5"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/env"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// Java has changed its codec: doctor names the one that reads what is there.
func TestDoctorNamesTheCodecThatReads(t *testing.T) {
	srv := lab.StartRedis(t)
	t.Setenv(env.RedisVariable, srv.URL())
	client, err := framework.Open(t.Context(), framework.Config{Redis: framework.RedisConfig{URL: srv.URL()}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	q := registry.Define[map[string]any]("ORDERS", "", registry.Codec(kryo5.New()), registry.OnForeign(registry.ForeignIgnore))
	engine, err := framework.New(client, []framework.Consumer{framework.Consume(q, handlers.Func[map[string]any](func(context.Context, *handlers.Delivery[map[string]any]) error { return nil }))})
	if err != nil {
		t.Fatal(err)
	}
	if err := engine.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = engine.Stop(context.WithoutCancel(t.Context())) })
	for i := range 12 {
		srv.Client().RPush(t.Context(), "ORDERS", fmt.Sprintf(`{"@class":"java.util.HashMap","order":"%d"}`, i))
	}
	out := ""
	lab.WaitFor(t, "the codec to be named", func() bool {
		_, out, _ = called(t, "doctor", "ORDERS")
		return strings.Contains(out, "of another codec")
	})
	if !strings.Contains(out, "jsonjackson reads 10 of the first 10 ready messages") || !strings.Contains(out, "declare jsonjackson") {
		t.Errorf("doctor:\n%s", out)
	}
	// The command of the advice runs as printed. Behind it the queue is judged by what is ready now, also
	// while the process has not looked again.
	_, args, printed := strings.Cut(out, "with duequeue dead bury -reason 'another codec'")
	if args, _, _ = strings.Cut(args, "\n"); !printed {
		t.Fatalf("no command:\n%s", out)
	}
	code, out, errs := called(t, append([]string{"dead", "bury", "-yes", "-reason", "another codec"}, strings.Fields(args)...)...)
	if code != exitOK || !strings.Contains(out, "12 buried") {
		t.Fatalf("bury %s: %d\n%s%s", args, code, out, errs)
	}
	if _, out, _ = called(t, "doctor", "ORDERS"); strings.Contains(out, "ERROR   ORDERS") || strings.Contains(out, "WARNING ORDERS: held up") {
		t.Errorf("doctor:\n%s", out)
	}
}
