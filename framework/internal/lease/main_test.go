package lease

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/duequeue/duequeue/framework/internal/lab"
)

// shared is the Redis server that the tests of this package share.
var shared *lab.Server

func TestMain(m *testing.M) {
	srv, err := lab.Run()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	shared = srv
	code := m.Run()
	if err := srv.Stop(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = max(code, 1)
	}
	if code == 0 {
		if err := goleak.Find(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}
