package trouble

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// What befalls a thousand queues at once is two lines; what is said of one message is one each.
func TestFold(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		log := Fold(slog.New(slog.NewTextHandler(&out, nil)), "cannot take", "due messages cannot be moved")
		outage := func() {
			for i := range 1000 {
				log.With("queue", fmt.Sprint("q", i)).Error("cannot take", "err", errors.New("down"))
				log.Warn("due messages cannot be moved", "queue", fmt.Sprint("q", i))
			}
			<-time.After(2 * foldWindow)
			synctest.Wait()
		}
		outage()
		text := out.String()
		if n := strings.Count(text, "\n"); n != 4 || strings.Count(text, "queues=999") != 2 || !strings.Contains(text, "queue=q0 err=down") ||
			!strings.Contains(text, "first=\"[q1 q2") {
			t.Errorf("%d lines:\n%s", n, text)
		}
		out.Reset()
		outage()
		if n := strings.Count(out.String(), "\n"); n != 4 {
			t.Errorf("%d lines the second time:\n%s", n, out.String())
		}
		out.Reset()
		for i := range 5 {
			log.Error("message moved to the dead store", "queue", "q0", "id", i)
		}
		if n := strings.Count(out.String(), "\n"); n != 5 {
			t.Errorf("%d lines of five messages", n)
		}
	})
}

// At the end of an engine all is written, and nothing is kept any more.
func TestUnfold(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		log := Fold(slog.New(slog.NewTextHandler(&out, nil)), "cannot take")
		for range 3 {
			log.Error("cannot take", "queue", "q")
		}
		Unfold(log)
		if n := strings.Count(out.String(), "\n"); n != 2 || !strings.Contains(out.String(), "queues=2") {
			t.Errorf("%d lines:\n%s", n, out.String())
		}
		log.Error("cannot take", "queue", "q")
		<-time.After(2 * foldWindow)
		if n := strings.Count(out.String(), "\n"); n != 3 {
			t.Errorf("%d lines:\n%s", n, out.String())
		}
	})
}
