package lab

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"
)

// Shared is a server that all tests of a package share, except those that harm it. They use
// queues of their own.
var Shared *Server

// Main runs the tests of a package beside a [Shared] server. It fails if a goroutine is left.
func Main(m *testing.M) {
	flag.Parse()
	var err error
	if Shared, err = RunRedis(); err != nil {
		fmt.Fprintln(os.Stderr, "these tests need redis-server:", err)
		os.Exit(1)
	}
	code := m.Run()
	if err := Shared.Stop(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	if err := goleak.Find(); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}
