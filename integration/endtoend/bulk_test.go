package endtoend_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/integration/rig"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/registry"
)

const (
	// envBulk makes this test binary a producer: "plain" or "keyed", and a Redis.
	envBulk   = "DUEQUEUE_TEST_BULK"
	bulkQueue = "bulk"
)

// bulkMessages is the same in both processes.
var bulkMessages = size(20_000, 100_000)

// defineBulk declares the same queue in both processes.
func defineBulk() *registry.Queue[string] {
	return registry.Define[string](bulkQueue, "its producer is killed", registry.Codec(codecs.String()))
}

// bulk is the sequence that is offered, by either process.
func bulk(keyed bool) iter.Seq[framework.Item[string]] {
	return func(yield func(framework.Item[string]) bool) {
		for i := range bulkMessages {
			m := framework.Item[string]{Value: fmt.Sprint(i), Delay: time.Hour + time.Duration(i*7919%100_000)*time.Millisecond}
			if keyed {
				m.Key = framework.Key(fmt.Sprint("order ", i))
			}
			if !yield(m) {
				return
			}
		}
	}
}

// bulkProducer is the process that is killed. It prints what it was told of each
// message as soon as it was told.
func bulkProducer(order string) {
	kind, url, _ := strings.Cut(order, " ")
	client, err := framework.Open(context.Background(), rig.AsUser(framework.Config{Redis: framework.RedisConfig{URL: url}}))
	if err == nil {
		_, err = framework.Bind(client, defineBulk()).OfferAll(context.Background(), bulk(kind == "keyed"),
			framework.OnResult(func(i int, r framework.Receipt, err error) { fmt.Fprintln(os.Stdout, i, r.ID, err == nil) }))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "producer:", err)
		os.Exit(1)
	}
}

// TestKilledInBulkOffer: kill -9 hits a producer in the middle of a bulk offer. What is in is whole, a beginning of the sequence without gaps, and all that
// was reported as offered is in it. With keys, offering everything again completes it;
// without them, it doubles what was in.
func TestKilledInBulkOffer(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"plain", "keyed"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			srv := lab.StartRedis(t)
			client := rig.Open(t, srv.URL())
			queue := defineBulk()
			reported := killedBulk(t, kind+" "+srv.URL(), bulkMessages/8+rand.IntN(bulkMessages/4))
			in := wholeView(t, srv)
			for i, id := range reported {
				if in[i] == nil || !slices.Contains(in[i], id) {
					t.Fatalf("message %d was reported as offered with id %s, and has %v", i, id, in[i])
				}
			}
			for i := range len(in) {
				if len(in[i]) != 1 {
					t.Fatalf("of %d messages in the queue, number %d is there %d times", len(in), i, len(in[i]))
				}
			}
			if len(in) == bulkMessages {
				t.Fatal("the producer was done before it was killed")
			}

			before := len(in)
			done, err := framework.Bind(client, queue).OfferAll(t.Context(), bulk(kind == "keyed"))
			if err != nil {
				t.Fatal(err)
			}
			in = wholeView(t, srv)
			twice := 0
			for i := range bulkMessages {
				switch n := len(in[i]); {
				case n == 2 && kind == "plain" && i < before:
					twice++
				case n != 1:
					t.Fatalf("after the repeat message %d is there %d times", i, n)
				}
			}
			want := framework.Bulk{Read: int64(bulkMessages), Added: int64(bulkMessages)}
			if kind == "keyed" {
				want.Added, want.Kept = int64(bulkMessages-before), int64(before)
			} else if twice != before {
				t.Errorf("%d were doubled by the repeat, want the %d that were in", twice, before)
			}
			if done != want {
				t.Errorf("the repeat: %+v, want %+v", done, want)
			}
			t.Logf("report: a producer was killed when %d of a bulk offer of %d (%s) were reported and %d were in; the repeat added %d, %d are there twice",
				len(reported), bulkMessages, kind, before, done.Added, twice)
		})
	}
}

// killedBulk runs the producer until it has reported so many, kills it, and returns
// the ids by message.
func killedBulk(t *testing.T, order string, least int) map[int]string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), envBulk+"="+order)
	cmd.Stderr = t.Output()
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() }) // for a test that failed on the way
	reported := map[int]string{}
	lines := bufio.NewScanner(stdout)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) != 3 {
			continue // cut off by the kill
		}
		i, err := strconv.Atoi(fields[0])
		if err != nil || fields[2] != "true" {
			t.Fatalf("the producer reported %q", lines.Text())
		}
		reported[i] = fields[1]
		if len(reported) == least {
			if err := cmd.Process.Kill(); err != nil { // SIGKILL
				t.Fatal(err)
			}
		}
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != -1 {
		t.Fatalf("the producer ended by itself (%v) with %d of at least %d reported", err, len(reported), least)
	}
	return reported
}

// wholeView reads all pending messages, checks that Java's list holds exactly the
// elements of the timeout set, and returns the ids by message.
func wholeView(t *testing.T, srv *lab.Server) map[int][]string {
	t.Helper()
	rdb := srv.Client()
	set, err := rdb.ZRangeWithScores(t.Context(), "redisson_delay_queue_timeout:{"+bulkQueue+"}", 0, -1).Result()
	if err != nil {
		t.Fatal(err)
	}
	list, err := rdb.LRange(t.Context(), "redisson_delay_queue:{"+bulkQueue+"}", 0, -1).Result()
	if err != nil {
		t.Fatal(err)
	}
	inSet := make(map[string]bool, len(set))
	out := map[int][]string{}
	for _, z := range set {
		e, _ := z.Member.(string)
		inSet[e] = true
		const header = 16
		i, err := strconv.Atoi(e[header:])
		if err != nil {
			t.Fatalf("element %q: %v", e, err)
		}
		out[i] = append(out[i], fmt.Sprintf("%x-%x", int64(z.Score), e[1:8]))
	}
	inList := make(map[string]bool, len(list))
	for _, e := range list {
		inList[e] = true
	}
	if len(list) != len(set) || !maps.Equal(inSet, inList) {
		t.Fatalf("torn: %d in the set, %d in the list (%d different)", len(set), len(list), len(inList))
	}
	return out
}
