package env

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// Serve serves HTTP on an address until stop is called. flag names what the address was given
// by; name says in the log what is served.
func Serve(ctx context.Context, log *slog.Logger, flag, name, address string, handler http.Handler) (stop func(), err error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("-%s: %w", flag, err)
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 5 * time.Second}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(listener) // ends with the server
	}()
	log.InfoContext(ctx, name, "address", listener.Addr().String())
	return func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = server.Shutdown(closing) // who still reads is cut off
		_ = server.Close()
		<-done
	}, nil
}
