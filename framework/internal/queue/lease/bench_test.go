package lease

import (
	"context"
	"strconv"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/chance"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// One message is one operation in all of these, of 200 bytes, with one consumer. The
// program in integration/bench runs BenchmarkTake beside duequeue and its peers.
const benchBytes = 200

// refill keeps the queue from running empty, outside of the measured time.
type refill struct {
	rdb  redis.UniversalClient
	key  string
	left int
	due  string  // the due list, '' for none
	cpu  float64 // µs of Redis outside of the refilling
}

func (r *refill) ensure(b *testing.B, n int) {
	if r.left >= n {
		return
	}
	b.StopTimer()
	r.cpu += serverCPU(b, lab.Shared.Client())
	defer func() {
		r.cpu -= serverCPU(b, lab.Shared.Client())
		b.StartTimer()
	}()
	const chunk, chunks = 1000, 50
	ctx := context.Background()
	for range chunks {
		args := make([]any, chunk)
		dues := make([]any, 0, chunk)
		for i := range args {
			body := strings.Repeat("x", benchBytes-16) + chance.Hex()
			args[i] = body
			if r.due != "" {
				rec := wire.DueRecord{ID: wire.ElementID{Kind: 'u', Raw: [8]byte{7}}, DueMs: 1}
				dues = append(dues, rec.Entry([]byte(body)))
			}
		}
		if err := r.rdb.RPush(ctx, r.key, args...).Err(); err != nil {
			b.Fatal(err)
		}
		if r.due != "" {
			if err := r.rdb.RPush(ctx, r.due, dues...).Err(); err != nil {
				b.Fatal(err)
			}
		}
		r.left += chunk
	}
}

// serverCPU is the CPU time of Redis in µs, which other load on the machine hardly
// changes.
func serverCPU(b testing.TB, rdb *redis.Client) float64 {
	info, err := rdb.InfoMap(context.Background(), "cpu").Result()
	if err != nil {
		b.Fatal(err)
	}
	var total float64
	for _, part := range []string{"used_cpu_user_main_thread", "used_cpu_sys_main_thread"} {
		v, err := strconv.ParseFloat(info["CPU"][part], 64)
		if err != nil {
			b.Fatal(err)
		}
		total += v
	}
	return total * 1e6
}

// start begins the measurement; done ends it and reports Redis's CPU time per message.
func (r *refill) start(b *testing.B) {
	b.ReportAllocs()
	r.ensure(b, 1)
	r.cpu = -serverCPU(b, lab.Shared.Client())
	b.ResetTimer()
}

func (r *refill) done(b *testing.B) {
	b.StopTimer()
	r.cpu += serverCPU(b, lab.Shared.Client())
	b.ReportMetric(r.cpu/float64(b.N), "redis-µs/op")
}

func benchTake(b *testing.B, batch int, due bool) {
	e := &env{rdb: lab.Shared.Client(), keys: newKeys()}
	r := &refill{rdb: e.rdb, key: e.keys.Queue}
	if due {
		r.due = e.keys.Due
	}
	s := e.session(b, Options{})
	b.Cleanup(func() {
		_, _ = s.Close(context.Background())
		e.rdb.Del(context.Background(), e.keys.Queue, e.keys.Due)
	})
	var acks Acks
	r.start(b)
	defer r.done(b)
	for done := 0; done < b.N; {
		r.ensure(b, batch)
		got, err := s.Take(b.Context(), batch, acks)
		if err != nil {
			b.Fatal(err)
		}
		acks = acks[:0]
		for i := range got.Messages {
			acks = append(acks, got.Messages[i].Token)
		}
		r.left -= len(acks)
		done += len(acks)
	}
}

func BenchmarkTake1(b *testing.B)      { benchTake(b, 1, false) }
func BenchmarkTake16(b *testing.B)     { benchTake(b, 16, false) }
func BenchmarkTake128(b *testing.B)    { benchTake(b, 128, false) }
func BenchmarkTakeDue1(b *testing.B)   { benchTake(b, 1, true) }
func BenchmarkTakeDue16(b *testing.B)  { benchTake(b, 16, true) }
func BenchmarkTakeDue128(b *testing.B) { benchTake(b, 128, true) }
