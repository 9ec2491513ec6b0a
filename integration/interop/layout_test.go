package interop_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/integration/rig"
)

// bothLayoutsInOneQueue: elements as Redisson up to 3.21.0 wrote them, as it has
// written them since 3.21.1, and as Go writes them, due in one queue: Redisson of
// any release chokes on that, Go drains it.
func bothLayoutsInOneQueue(t testing.TB, b *bench) {
	const each = 20
	client, service := rig.Open(t, b.srv.URL()), b.jvm.Open(t, b.srv.URL())
	queue := define[string](t, "mixed", b.codec)
	rdb := b.srv.Client()

	service.Queue(t, b.java, queue.Key()).OfferMany(t, "java", each, soon, 4)
	service.Close(t) // it must not transfer what is poison to it
	for i := range each {
		rig.Offer(t, client, queue, fmt.Sprintf("go-%d", i), soon)
		for layout, pack := range map[string]func(uint64, []byte) []byte{"old": packOld, "new": packNew} {
			payload, err := queue.Encode(fmt.Sprintf("%s-%d", layout, i))
			if err != nil {
				t.Fatal(err)
			}
			put(t, rdb, queue.Key(), pack(uint64(i)<<32|77, payload), time.Now().Add(soon))
		}
	}

	var collector rig.Collector[string]
	rig.Run(t, client, framework.Consume(queue, &collector))
	seen := map[string]int{}
	for _, g := range collector.Await(t, 4*each) {
		seen[g.Payload]++
	}
	for i := range each {
		for _, kind := range []string{"java", "go", "old", "new"} {
			if name := fmt.Sprintf("%s-%d", kind, i); seen[name] != 1 {
				t.Errorf("%s was handled %d times", name, seen[name])
			}
		}
	}
	if c := rig.Counts(t, client, queue); c.Delayed+c.Ready+c.Dead != 0 {
		t.Errorf("left over: %+v", c)
	}
}

// packOld is Redisson's element up to 3.21.0: struct.pack("dLc0").
func packOld(id uint64, payload []byte) []byte {
	e := binary.LittleEndian.AppendUint64(nil, math.Float64bits(-float64(id)))
	e = binary.LittleEndian.AppendUint64(e, uint64(len(payload)))
	return append(e, payload...)
}

// packNew is Redisson's element since 3.21.1: struct.pack("Bc0Lc0") with 8 bytes of id.
func packNew(id uint64, payload []byte) []byte {
	e := binary.BigEndian.AppendUint64([]byte{8}, id)
	e = binary.LittleEndian.AppendUint64(e, uint64(len(payload)))
	return append(e, payload...)
}

// put adds an element as a producer of its time did.
func put(t testing.TB, rdb *redis.Client, queue string, element []byte, due time.Time) {
	t.Helper()
	pipe := rdb.TxPipeline()
	pipe.ZAdd(t.Context(), "redisson_delay_queue_timeout:{"+queue+"}", redis.Z{Score: float64(due.UnixMilli()), Member: element})
	pipe.RPush(t.Context(), "redisson_delay_queue:{"+queue+"}", element)
	if _, err := pipe.Exec(t.Context()); err != nil {
		t.Fatal(err)
	}
}
