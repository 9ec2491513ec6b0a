package main

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

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
