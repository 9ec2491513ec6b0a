package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

// server is one side that handles the burst.
type server interface {
	start() (time.Time, error) // begins to take and to transfer
	rest() error               // what is measured comes next
	await(n int) (handled, error)
	stop() error
}

func (b *bench) serveWith(u burst) (server, error) {
	switch u.who {
	case jar:
		return b.serveJar(burstQueue, 1, jarThreads, u.n)
	case floorName:
		return &floor{b: b, n: u.n}, nil
	}
	return b.serveOurs(role{URL: b.srv.URL(), Queue: burstQueue, View: u.view, Workers: u.workers, Profile: u.profile}, 1)
}

// ourServer are processes of ours.
type ourServer struct {
	children
	b *bench
}

func (b *bench) serveOurs(r role, processes int) (server, error) {
	all, err := b.startChildren(r, processes)
	return &ourServer{all, b}, err
}

func (s *ourServer) await(n int) (handled, error) { return s.children.await(s.b, n, burstLimit) }

func (s *ourServer) stop() error {
	s.children.stop()
	return nil
}

// jarServer are clients of Redisson in the JVM.
type jarServer struct{ b *bench }

func (b *bench) serveJar(queue string, clients, threads, n int) (server, error) {
	_, err := b.java.call("serve %s %s %d %d %d", b.srv.URL(), queue, clients, threads, n)
	return &jarServer{b}, err
}

func (s *jarServer) start() (time.Time, error) { return s.b.java.micros("serve-start") }

func (*jarServer) rest() error { return nil }

func (s *jarServer) await(int) (handled, error) {
	last, err := s.b.java.micros("serve-await %d", int(burstLimit.Seconds()))
	return handled{Last: last.UnixMicro()}, err
}

func (s *jarServer) stop() error {
	_, err := s.b.java.call("serve-stop")
	return err
}

// floor is the barest loop that delivers from the sorted set: a script that moves what is
// due to the ready list, and LPOP. It keeps no list, no lease and no record.
type floor struct {
	b       *bench
	n       int
	running sync.WaitGroup
	cancel  context.CancelFunc
	count   int
	last    time.Time
	err     error
}

var floorScript = redis.NewScript(`
local found = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[1], 'LIMIT', 0, 1000)
if #found == 0 then
  return 0
end
local payloads = {}
for i = 1, #found do
  payloads[i] = string.sub(found[i], 18)
end
redis.call('ZREM', KEYS[1], unpack(found))
redis.call('RPUSH', KEYS[2], unpack(payloads))
return #found
`)

func (f *floor) start() (time.Time, error) {
	ctx, cancel := context.WithCancel(f.b.ctx)
	f.cancel = cancel
	began := time.Now()
	f.running.Go(func() { f.err = f.loop(ctx) })
	return began, nil
}

func (f *floor) loop(ctx context.Context) error {
	timeout, _, _ := keysOf(burstQueue)
	for f.count < f.n && ctx.Err() == nil {
		moved, err := floorScript.Run(ctx, f.b.rdb, []string{timeout, burstQueue}, strconv.FormatInt(time.Now().UnixMilli(), 10)).Int()
		if err != nil {
			return err
		}
		if moved == 0 {
			f.b.sleep(time.Millisecond)
			continue
		}
		got, err := f.b.rdb.LPopCount(ctx, burstQueue, moved).Result()
		if err != nil {
			return err
		}
		f.count += len(got)
		f.last = time.Now()
	}
	return ctx.Err()
}

func (*floor) rest() error { return nil }

func (f *floor) await(n int) (handled, error) {
	f.running.Wait()
	if f.err == nil && f.count < n {
		f.err = fmt.Errorf("the bare loop got %d of %d messages", f.count, n)
	}
	return handled{Count: int64(f.count), Last: f.last.UnixMicro()}, f.err
}

func (f *floor) stop() error {
	f.cancel()
	f.running.Wait()
	if errors.Is(f.err, context.Canceled) {
		return nil
	}
	return f.err
}
