package embedded_test

import (
	"errors"
	"testing"

	"go.uber.org/fx"
	"go.uber.org/fx/fxtest"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/embedded"
)

func TestModule(t *testing.T) {
	t.Parallel()
	var srv framework.EmbeddedServer
	app := fxtest.New(t, embedded.ModuleWith(embedded.Listen("127.0.0.1:0")), fx.Populate(&srv), fx.NopLogger)
	app.RequireStart()
	conn, err := srv.DialContext(t.Context(), "", "")
	if err != nil {
		t.Fatal(err)
	}
	if err := conn.Close(); err != nil {
		t.Error(err)
	}
	app.RequireStop()
	if _, err := srv.DialContext(t.Context(), "", ""); !errors.Is(err, embedded.ErrClosed) {
		t.Errorf("after stop: %v", err)
	}
	bad := fx.New(embedded.ModuleWith(embedded.Listen("nowhere")), fx.Invoke(func(framework.EmbeddedServer) {}), fx.NopLogger)
	if bad.Err() == nil {
		t.Error("listened nowhere")
	}
}
