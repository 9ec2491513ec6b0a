package env

import (
	"context"
	"net"
	"net/http"
	"testing"
)

// Who opens connection after connection gets as many as there is room for; one that ends makes room
// for the next.
func TestConnectionsAreBounded(t *testing.T) {
	t.Parallel()
	inner, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := bounded(inner, 2)
	accepted := make(chan net.Conn)
	go func() {
		defer close(accepted)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			accepted <- c
		}
	}()
	for range 3 {
		c, err := new(net.Dialer).DialContext(t.Context(), "tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
	}
	first, second := <-accepted, <-accepted
	select {
	case <-accepted:
		t.Fatal("a third connection of two")
	default:
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	_ = first.Close() // once more makes no room
	third := <-accepted
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if _, more := <-accepted; more {
		t.Error("a connection after the end")
	}
	_, _ = second.Close(), third.Close()
}

// What this module serves has no bound missing.
func TestServersHaveBounds(t *testing.T) {
	t.Parallel()
	server := &http.Server{}
	s, err := Serve(context.WithoutCancel(t.Context()), "listen", "127.0.0.1:0", server)
	if err != nil {
		t.Fatal(err)
	}
	s.Stop()
	if server.ReadHeaderTimeout <= 0 || server.ReadTimeout <= 0 || server.WriteTimeout <= 0 || server.IdleTimeout <= 0 || server.MaxHeaderBytes <= 0 {
		t.Errorf("a bound is missing: %+v", server)
	}
}
