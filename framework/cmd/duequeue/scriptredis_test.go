package main

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/framework/internal/wire"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// letters numbers those that scripts add: Redis 6.2 does not do so for a given millisecond.
var letters atomic.Int64

// scriptCommands are what scripts can do besides what testscript gives them.
var scriptCommands = map[string]func(ts *testscript.TestScript, neg bool, args []string){
	"duequeue": runHere,

	"redis":  startRedis,
	"java":   javaOffers,
	"offer":  goOffers,
	"die":    putDead,
	"serve":  serveQueue,
	"rcli":   askRedis,
	"golden": writeGolden,
	"strand": strand,
	"change": unpackChange,
}

// fail ends a script where err is not nil.
func fail(ts *testscript.TestScript, err error) { ts.Check(err) }

// startRedis starts a server of the script's own: $DUEQUEUE_REDIS_URL and $ADDR name it.
//
//	redis
func startRedis(ts *testscript.TestScript, _ bool, _ []string) {
	srv := lab.StartRedis(ts.Value(scriptTest{}).(testing.TB))
	ts.Setenv("DUEQUEUE_REDIS_URL", srv.URL())
	ts.Setenv("ADDR", srv.Addr())
}

// connected returns a client of the script's server.
func connected(ts *testscript.TestScript) *redis.Client {
	rdb := redis.NewClient(&redis.Options{Addr: ts.Getenv("ADDR")})
	ts.Defer(func() { _ = rdb.Close() })
	return rdb
}

// body reads a file of hex.
func body(ts *testscript.TestScript, file string) string {
	b, err := hex.DecodeString(strings.Join(strings.Fields(ts.ReadFile(file)), ""))
	fail(ts, err)
	return string(b)
}

// javaOffers offers a payload by Redisson's own script, as the released jars have it.
//
//	java QUEUE DELAY FILE.hex
func javaOffers(ts *testscript.TestScript, _ bool, args []string) {
	k, rdb := wire.KeysOf(args[0]), connected(ts)
	delay, err := time.ParseDuration(args[1])
	fail(ts, err)
	offer := queuetest.JavaOffer(queuetest.FormatNew, "string.len(ARGV[2]), ARGV[2]")
	_, err = offer.Run(context.Background(), rdb, queuetest.JavaKeys(k), time.Now().Add(delay).UnixMilli(), "\xa0\xa1\xa2\xa3\xa4\xa5\xa6"+args[1][:1], body(ts, args[2]))
	fail(ts, err)
}

// goOffers offers a payload from Go, which gives it an ID and a key. $ID is its ID.
//
//	offer QUEUE DELAY KEY FILE.hex
func goOffers(ts *testscript.TestScript, _ bool, args []string) {
	ctx := context.Background()
	c := opened(ts)
	delay, err := time.ParseDuration(args[1])
	fail(ts, err)
	q := framework.Bind(c, registry.Define[[]byte](args[0], "", registry.Codec(codecs.ByteArray())))
	receipt, err := q.Offer(ctx, []byte(body(ts, args[3])), delay, framework.Key(args[2]))
	fail(ts, err)
	ts.Setenv("ID", string(receipt.ID))
}

func opened(ts *testscript.TestScript) *framework.Client {
	c, err := framework.Open(context.Background(), framework.Config{
		Redis: framework.RedisConfig{URL: ts.Getenv("DUEQUEUE_REDIS_URL")}, Block: time.Second, NoTransfer: true, ForeignPayloads: registry.ForeignIgnore,
	}, framework.WithLogger(slog.New(slog.DiscardHandler)))
	fail(ts, err)
	ts.Defer(func() { _ = c.Close() })
	return c
}

// putDead puts a payload into the dead store, so long ago.
//
//	die QUEUE AGO REASON FILE.hex DETAIL
func putDead(ts *testscript.TestScript, _ bool, args []string) {
	ago, err := time.ParseDuration(args[1])
	fail(ts, err)
	ms := time.Now().Add(-ago).UnixMilli()
	fail(ts, connected(ts).XAdd(context.Background(), &redis.XAddArgs{
		Stream: wire.KeysOf(args[0]).Dead, ID: fmt.Sprintf("%d-%d", ms, letters.Add(1)),
		Values: []any{"body", body(ts, args[3]), "reason", args[2], "detail", args[4], "delivered", 1, "failed", 1, "at", ms, "digest", "d"},
	}).Err())
}

// serveQueue handles a queue in this process; its handlers wait.
//
//	serve QUEUE
func serveQueue(ts *testscript.TestScript, _ bool, args []string) {
	ctx, c := context.Background(), opened(ts)
	e, err := framework.New(c, []framework.Consumer{framework.Consume(
		registry.Define[[]byte](args[0], "", registry.Codec(codecs.ByteArray())),
		handlers.Func[[]byte](func(ctx context.Context, _ *handlers.Delivery[[]byte]) error { <-ctx.Done(); return ctx.Err() }), framework.Workers(2),
	)})
	fail(ts, err)
	fail(ts, e.Start(ctx))
	ts.Defer(func() {
		ctx, cancel := context.WithCancel(context.Background())
		cancel() // at once
		_ = e.Stop(ctx)
	})
	lab.WaitFor(ts.Value(scriptTest{}).(testing.TB), "the process is not listed", func() bool {
		all, err := admin.ProcessesNow(ctx, c, args[0])
		return err == nil && len(all) > 0
	})
}

// strand leaves what a process leaves that was killed while it held two messages.
//
//	strand QUEUE
func strand(ts *testscript.TestScript, _ bool, args []string) {
	const session, nonce = "0123456789abcdef", "fedcba9876543210"
	ctx, k, rdb := context.Background(), wire.KeysOf(args[0]), connected(ts)
	rdb.ZAdd(ctx, k.Sessions, redis.Z{Score: float64(time.Now().Add(-time.Minute).UnixMilli()), Member: session})
	rdb.SAdd(ctx, k.Fetches(session), nonce)
	fail(ts, rdb.RPush(ctx, k.Stage(session), "a", "b").Err())
}

// askRedis sends a command until it answers as wanted.
//
//	rcli WANT COMMAND ARGUMENT...
func askRedis(ts *testscript.TestScript, _ bool, args []string) {
	rdb := connected(ts)
	words := make([]any, len(args)-1)
	for i, word := range args[1:] {
		words[i] = word
	}
	lab.Wait(ts.Value(scriptTest{}).(testing.TB), func() string {
		got, err := rdb.Do(context.Background(), words...).Result()
		if fmt.Sprint(got) == args[0] {
			return ""
		}
		return fmt.Sprintf("%v: %v, %v; want %s", args[1:], got, err, args[0])
	})
}

// writeGolden writes Java's demo.Order of the golden payloads with another number, of four
// characters: Kryo marks the last one.
//
//	golden 4711 FILE.hex
func writeGolden(ts *testscript.TestScript, _ bool, args []string) {
	number := []byte(args[0])
	if len(number) != 4 {
		ts.Fatalf("%s: four characters", strconv.Quote(args[0]))
	}
	number[3] |= 0x80
	order := bytes.Replace([]byte(body(ts, "order.hex")), []byte("A10\xb0"), number, 1)
	fail(ts, os.WriteFile(ts.MkAbs(args[1]), []byte(hex.EncodeToString(order)), 0o600))
}
