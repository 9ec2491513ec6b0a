package engine

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queue/delayed"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/framework/internal/wire"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

var scriptCall = regexp.MustCompile(`\[\d+ ([^\] ]+:\d+)\] "evalsha" "([0-9a-f]+)"`)

// trips is what Redis saw of the messages of one queue.
type trips struct{ transfers, together, takes int }

// watchTrips offers messages that fall due one by one, and counts the scripts that move and take
// them. A transfer and the take behind it are together where one connection has sent both.
func watchTrips(t *testing.T, n int, every time.Duration) (seen trips) {
	t.Helper()
	srv := lab.StartRedis(t)
	rdb := srv.Client()
	var handled sync.WaitGroup
	handled.Add(n)
	q := registry.Define[string](queuetest.NewQueue().Queue, "due one by one", registry.Codec(codecs.String()))
	run(t, openFor(t, srv), consume(q, Policy{}, func(context.Context, *handlers.Delivery[string]) error {
		handled.Done()
		return nil
	}))
	keys := wire.KeysOf(q.Key())
	for i := range n {
		args := delayed.OfferArgs{Payload: fmt.Appendf(nil, "%d", i), Delay: 300*time.Millisecond + time.Duration(i)*every}
		if _, err := delayed.Offer(t.Context(), rdb, keys, args); err != nil {
			t.Fatal(err)
		}
	}
	lines := lab.Monitor(t, srv)
	handled.Wait()
	transfer, from := delayed.TransferScript(false).SHA(), ""
	for _, line := range lines() {
		call := scriptCall.FindStringSubmatch(line)
		switch {
		case call == nil:
		case call[2] == transfer:
			seen.transfers++
			from = call[1]
		case strings.Contains(line, wire.OwnPrefix+"inflight:") && strings.Contains(line, keys.Sessions):
			seen.takes++
			if call[1] == from {
				seen.together++
			}
			from = ""
		}
	}
	t.Logf("%+v", seen)
	if seen.transfers == 0 || seen.takes == 0 {
		t.Fatal("the scripts are not recognized")
	}
	return seen
}

// Where messages fall due one after the other, one trip to Redis moves one and brings it. How many
// go so depends on the machine: one that is busy moves several at a time.
func TestOneTripMovesAndTakes(t *testing.T) {
	t.Parallel()
	for range 10 { // a busy machine may move all that is due before the taker asks
		if watchTrips(t, 100, 8*time.Millisecond).together > 0 {
			return
		}
	}
	t.Error("each transfer went alone")
}

// Where they fall due seldom, each is taken once, and no take looks for what the last one has
// brought.
func TestOneTakeForEach(t *testing.T) {
	t.Parallel()
	const n = 25
	if seen := watchTrips(t, n, 80*time.Millisecond); seen.takes > n*3/2 {
		t.Errorf("%+v: more takes than messages", seen)
	}
}
