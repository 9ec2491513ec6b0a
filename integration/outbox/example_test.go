package outbox_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/framework/integration/rig"
	"github.com/duequeue/duequeue/framework/internal/lab"
)

// The service of the example is killed again and again while orders come in: whatever it
// answered is true in the end, and each order has ended once.
func TestExampleKilledInTheMiddle(t *testing.T) {
	t.Parallel()
	program := rig.Program(t, "examples/09-order-once")
	args := []string{
		"-serve", "-listen", "127.0.0.1:0", "-payment", "1s",
		"-redis", lab.StartRedis(t, lab.AppendOnly()).URL(), "-db", filepath.Join(t.TempDir(), "shop.db"),
	}
	paid := map[string]bool{}
	for range 5 {
		service, url := serve(t, program, args)
		for range 20 {
			name := fmt.Sprintf("B-%d", len(paid))
			paid[name] = len(paid)%3 == 0
			if answer := call(t, http.MethodPost, url+"/orders/"+name); !strings.HasSuffix(answer, "is placed") {
				t.Fatal(answer)
			}
			if !paid[name] {
				continue
			}
			answer := call(t, http.MethodPost, url+"/orders/"+name+"/payment")
			paid[name] = strings.HasSuffix(answer, "is paid")
			if !paid[name] && !strings.Contains(answer, "cannot be paid") { // it was cancelled before
				t.Fatal(answer)
			}
		}
		if err := service.Kill(); err != nil {
			t.Fatal(err)
		}
	}
	_, url := serve(t, program, args)
	for name, isPaid := range paid {
		state := "cancelled"
		if isPaid {
			state = "paid"
		}
		want := fmt.Sprintf("order %s is %s, changed 1 times", name, state)
		lab.Wait(t, func() string {
			answer := call(t, http.MethodGet, url+"/orders/"+name)
			if answer != want && !strings.Contains(answer, "is unpaid") {
				t.Fatalf("%s; want %s", answer, want)
			}
			return strings.TrimPrefix(answer, want)
		})
	}
}

// serve runs the service until the test ends, and returns its address.
func serve(t *testing.T, program string, args []string) (service *lab.Process, url string) {
	t.Helper()
	said := &rig.Output{}
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), program, args...)
	cmd.Stdout, cmd.Stderr = said, t.Output()
	service, err := lab.StartProcess(cmd)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := service.Kill(); err != nil {
			t.Error(err)
		}
	})
	lab.WaitFor(t, "the address of the service", func() bool {
		var told bool
		url, told = strings.CutPrefix(strings.TrimSpace(said.String()), "serves ")
		return told
	})
	return service, url
}

// call returns what the service answers.
func call(t *testing.T, method, url string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(text))
}
