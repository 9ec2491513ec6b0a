package queuetest

import (
	"bufio"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"

	"github.com/duequeue/duequeue/framework/internal/lab"
)

// Monitor collects what Redis executes until lines is called.
func Monitor(t *testing.T, srv *lab.Server) (lines func() []string) {
	t.Helper()
	c := Must[net.Conn](t)(net.Dial("tcp", srv.Addr()))
	if _, err := fmt.Fprint(c, "MONITOR\r\n"); err != nil {
		t.Fatal(err)
	}
	r := bufio.NewReader(c)
	if ok := Must[string](t)(r.ReadString('\n')); ok != "+OK\r\n" {
		t.Fatalf("MONITOR: %q", ok)
	}
	const end = "end of transcript"
	var seen []string
	var reader sync.WaitGroup
	reader.Go(func() {
		for {
			line, err := r.ReadString('\n')
			if err != nil || strings.Contains(line, end) {
				return
			}
			seen = append(seen, strings.TrimSpace(line))
		}
	})
	t.Cleanup(func() {
		_ = c.Close()
		reader.Wait()
	})
	return func() []string {
		if err := srv.Client().Echo(t.Context(), end).Err(); err != nil {
			t.Fatal(err)
		}
		reader.Wait()
		return seen
	}
}
