package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestRuns(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	from, to := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := run(ctx, to, "embedded", "127.0.0.1:0")
		_ = to.CloseWithError(err)
		ended <- err
	}()
	address, err := bufio.NewReader(from).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	address = strings.TrimSpace(address)
	for path, want := range map[string]string{
		"": "not reviewed: default good review", "queue?q=ORDER_PAYMENT_TIMEOUT": "Falls due", "search?text=4711": "1 message found",
		"dead?q=ORDER_TIMEOUT_NOT_EVALUATED": "no such customer: N",
	} {
		waiting, done := context.WithTimeout(ctx, time.Minute)
		for { // a message dies when its handler has run
			request, err := http.NewRequestWithContext(waiting, http.MethodGet, address+path, nil)
			if err != nil {
				t.Fatal(err)
			}
			answer, err := http.DefaultClient.Do(request)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(answer.Body)
			_ = answer.Body.Close()
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(body), want) {
				break
			}
			select {
			case <-time.After(20 * time.Millisecond):
			case <-waiting.Done():
				t.Fatalf("GET %s: %d, without %q:\n%s", address+path, answer.StatusCode, want, body)
			}
		}
		done()
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
