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
)

// startDaemon runs duequeue transfer until the test ends, and then expects that it ends well.
func startDaemon(t testing.TB, b *bench, args ...string) {
	t.Helper()
	var log bytes.Buffer
	daemon := exec.CommandContext(context.WithoutCancel(t.Context()), rig.CommandLine(t), append([]string{"transfer", "-listen", "off"}, args...)...)
	daemon.Env, daemon.Stderr = append(os.Environ(), "DUEQUEUE_REDIS_URL="+b.srv.URL()), &log
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
	ctx, rdb := t.Context(), b.srv.Client()
	message, element := jvm.Sample("string"), redis.Z{Score: 1, Member: "no layout of any Redisson"}
	pending := func(name string) int64 { return rdb.ZCard(ctx, "redisson_delay_queue_timeout:{"+name+"}").Val() }
	deserted, poisoned := rig.QueueName(t, "_deserted"), rig.QueueName(t, "_poisoned")

	offering := b.jvm.Open(t, b.srv.URL())
	offering.Queue(t, b.java, deserted).Offer(t, message, soon)
	offering.Close(t)
	holding := b.jvm.Open(t, b.srv.URL()).Queue(t, b.java, poisoned)
	rdb.ZAdd(ctx, "redisson_delay_queue_timeout:{"+poisoned+"}", element)
	holding.Offer(t, message, soon)

	taking := b.jvm.Open(t, b.srv.URL())
	desertedTaker, poisonedTaker := taking.Queue(t, b.java, deserted), taking.Queue(t, b.java, poisoned)
	<-time.After(soon + 3*time.Second)
	if n := pending(deserted); n != 1 {
		t.Fatalf("%d messages are pending in the queue that nobody transfers, want the one that stands still", n)
	}
	// A transfer that fails in its middle leaves everything pending.
	if n := pending(poisoned); n != 2 {
		t.Fatalf("%d elements are pending in the queue with one that stops Redisson, want both", n)
	}

	startDaemon(t, b, "-discover", "-every", "1s")
	for name, q := range map[string]*jvm.Queue{"deserted": desertedTaker, "poisoned": poisonedTaker} {
		if got := q.Take(t, patient, message); !got.Equal {
			t.Errorf("%s: took %v", name, got.Value)
		}
	}
	if n := rdb.XLen(ctx, "duequeue:dead:{"+poisoned+"}").Val(); n != 1 {
		t.Errorf("%d dead letters, want what stopped Redisson", n)
	}

	// From now on what is offered and deserted comes on time.
	late := punctual(t)
	again := b.jvm.Open(t, b.srv.URL())
	offered := time.Now()
	again.Queue(t, b.java, deserted).Offer(t, message, 2*soon)
	again.Close(t)
	got := desertedTaker.Take(t, patient, message)
	if was := got.At.Sub(offered.Add(2 * soon)); !got.Equal || was > late() {
		t.Errorf("took %v, %v late", got.Value, was)
	}
}
