package interop_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/integration/jvm"
	"github.com/duequeue/duequeue/framework/integration/rig"
	"github.com/duequeue/duequeue/framework/internal/lab"
)

// startDaemon runs duequeue transfer until the test ends, and then expects that it ends well.
func startDaemon(t testing.TB, srv *lab.Server, args ...string) {
	t.Helper()
	var log bytes.Buffer
	daemon := exec.CommandContext(context.WithoutCancel(t.Context()), rig.CommandLine(t), append([]string{"transfer", "-listen", "off"}, args...)...)
	daemon.Env, daemon.Stderr = append(os.Environ(), "DUEQUEUE_REDIS_URL="+srv.URL()), &log
	if err := daemon.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := daemon.Process.Signal(syscall.SIGTERM); err != nil {
			t.Error(err)
		}
		if err := daemon.Wait(); err != nil {
			t.Errorf("the daemon ended with %v\n%s", err, log.String())
		}
	})
}

// daemonCuresStalls reproduces what is said most often of RDelayedQueue: due messages stand
// still until a restart. Here nobody has an RDelayedQueue any more, since the service that
// offered is being deployed or called destroy; or one has it, and an element that Redisson
// cannot read stops every transfer. The daemon cures both.
func daemonCuresStalls(t testing.TB, b *bench) {
	srv := lab.StartRedis(t) // the daemon serves all queues that it finds there
	ctx, rdb := t.Context(), srv.Client()
	message, element := jvm.Sample("string"), redis.Z{Score: 1, Member: "no layout of any Redisson"}
	pending := func(name string) int64 { return rdb.ZCard(ctx, "redisson_delay_queue_timeout:{"+name+"}").Val() }
	deserted, poisoned := rig.QueueName(t, "_deserted"), rig.QueueName(t, "_poisoned")

	offering := b.jvm.Open(t, srv.URL())
	offering.Queue(t, b.java, deserted).Offer(t, message, never)
	offering.Close(t)
	dueNow(t, srv, deserted)
	holding := b.jvm.Open(t, srv.URL()).Queue(t, b.java, poisoned)
	rdb.ZAdd(ctx, "redisson_delay_queue_timeout:{"+poisoned+"}", element)
	holding.Offer(t, message, soon)

	taking := b.jvm.Open(t, srv.URL())
	desertedTaker, poisonedTaker := taking.Queue(t, b.java, deserted), taking.Queue(t, b.java, poisoned)
	<-time.After(soon + time.Second)
	if n := pending(deserted); n != 1 {
		t.Fatalf("%d messages are pending in the queue that nobody transfers, want the one that stands still", n)
	}
	// A transfer that fails in its middle leaves everything pending.
	if n := pending(poisoned); n != 2 {
		t.Fatalf("%d elements are pending in the queue with one that stops Redisson, want both", n)
	}

	startDaemon(t, srv, "-discover", "-every", "1s")
	for name, q := range map[string]*jvm.Queue{"deserted": desertedTaker, "poisoned": poisonedTaker} {
		if got := q.Take(t, patient, message); !got.Equal {
			t.Errorf("%s: took %v", name, got.Value)
		}
	}
	if n := rdb.XLen(ctx, "duequeue:dead:{"+poisoned+"}").Val(); n != 1 {
		t.Errorf("%d dead letters, want what stopped Redisson", n)
	}

	// From now on what is offered and deserted comes, too.
	again := b.jvm.Open(t, srv.URL())
	again.Queue(t, b.java, deserted).Offer(t, message, 2*soon)
	again.Close(t)
	if got := desertedTaker.Take(t, patient, message); !got.Equal {
		t.Errorf("took %v", got.Value)
	}
}
