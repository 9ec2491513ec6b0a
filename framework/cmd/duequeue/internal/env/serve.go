package env

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"time"
)

// Server serves HTTP until it is stopped.
type Server struct {
	Addr  net.Addr
	Ended <-chan error // why it ended

	stop func()
}

// Serve begins to serve on an address; flag names what the address was given by.
func Serve(ctx context.Context, flag, address string, server *http.Server) (*Server, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("-%s: %w", flag, err)
	}
	server.ReadHeaderTimeout = 5 * time.Second
	ended, done := make(chan error, 1), make(chan struct{})
	go func() {
		defer close(done)
		ended <- server.Serve(listener)
	}()
	return &Server{Addr: listener.Addr(), Ended: ended, stop: func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = server.Shutdown(closing) // who still reads is cut off
		_ = server.Close()
		<-done
	}}, nil
}

// Stop ends it and waits for that, a second at most for those who still read.
func (s *Server) Stop() { s.stop() }
