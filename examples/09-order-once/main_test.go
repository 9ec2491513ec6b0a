package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/framework/frameworktest/redisserver"
)

// envArgs makes the test binary the command.
const envArgs = "DUEQUEUE_EXAMPLE_ARGS"

func TestMain(m *testing.M) {
	if args := os.Getenv(envArgs); args != "" {
		os.Args = append(os.Args[:1], strings.Split(args, " ")...)
		main()
		return
	}
	os.Exit(m.Run())
}

// Paid orders stay paid, the others are cancelled, each changed once.
func TestDemo(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if err := run(t.Context(), &out, settings{listen: "127.0.0.1:0", redis: "embedded", payment: time.Second}); err != nil {
		t.Fatal(err)
	}
	_, story, _ := strings.Cut(out.String(), "\n")
	const want = `order A-1 is placed
order A-2 is placed
order A-3 is placed
order A-4 is placed
order A-5 is placed
order A-2 is paid
order A-3 is paid
… 1s to pay …
order A-1 is cancelled, changed 1 times
order A-2 is paid, changed 1 times
order A-3 is paid, changed 1 times
order A-4 is cancelled, changed 1 times
order A-5 is cancelled, changed 1 times
order A-1 cannot be paid: it is paid or cancelled, or there is none
`
	if story != want {
		t.Errorf("got\n%s", story)
	}
}

// The service is killed again and again while orders come in: whatever was answered is true in
// the end, and each order has ended once.
func TestKilledInTheMiddle(t *testing.T) {
	t.Parallel()
	redis := redisserver.Start(t, redisserver.AppendOnly())
	args := fmt.Sprintf("-serve -listen 127.0.0.1:0 -payment 1s -redis %s -db %s", redis.URL(), filepath.Join(t.TempDir(), "shop.db"))
	paid := map[string]bool{}
	number := 0
	for range 5 {
		url, kill := start(t, args)
		for range 20 {
			number++
			name := fmt.Sprintf("B-%d", number)
			if answer, err := call(t.Context(), "POST", url+"/orders/"+name); err != nil || !strings.HasSuffix(answer, "is placed") {
				t.Fatalf("%s: %v", answer, err)
			}
			if paid[name] = number%3 == 0; !paid[name] {
				continue
			}
			if answer, err := call(t.Context(), "POST", url+"/orders/"+name+"/payment"); err != nil || !strings.HasSuffix(answer, "is paid") {
				t.Fatalf("%s: %v", answer, err)
			}
		}
		kill()
	}
	url, kill := start(t, args)
	defer kill()
	for name, isPaid := range paid {
		want := fmt.Sprintf("order %s is cancelled, changed 1 times", name)
		if isPaid {
			want = fmt.Sprintf("order %s is paid, changed 1 times", name)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		for answer := ""; answer != want; {
			var err error
			if answer, err = call(ctx, "GET", url+"/orders/"+name); err != nil {
				t.Fatalf("%s: %v; want %s", answer, err, want)
			}
			if answer != want && !strings.Contains(answer, "is unpaid") {
				t.Fatalf("%s; want %s", answer, want)
			}
		}
		cancel()
	}
}

// start runs the service, and returns its address and a function that kills it.
func start(t *testing.T, args string) (url string, kill func()) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), envArgs+"="+args)
	cmd.Stderr = t.Output()
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(strings.TrimPrefix(line, "serves ")), func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
}
