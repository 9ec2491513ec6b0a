package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// idleSettle is how long a service may take to come to rest: it closes the connections that
// only its start needed after some seconds.
const idleSettle = 10 * time.Second

// idleSizes are the numbers of idle queues.
var idleSizes = []int{1, 8}

// idleCost is what one service with idle queues costs.
type idleCost struct {
	who         string
	queues      int
	commands    float64 // a second, as the client sends them
	connections int
	names       map[string]int // of the commands
}

// idling lets all services idle at the same time, each on its own server.
func (b *bench) idling() ([]idleCost, error) {
	b.progress("idle queues for %v", b.plan.idle)
	var watches []*idleWatch
	defer func() {
		for _, w := range watches {
			w.stop()
		}
	}()
	for _, queues := range idleSizes {
		for _, who := range []string{ours, jar} {
			w, err := b.watchIdle(who, queues)
			if err != nil {
				return nil, fmt.Errorf("%s with %d queues: %w", who, queues, err)
			}
			watches = append(watches, w)
		}
	}
	b.sleep(idleSettle)
	for _, w := range watches {
		w.begin()
	}
	b.sleep(b.plan.idle)
	var costs []idleCost
	for _, w := range watches {
		cost, err := w.end(b.ctx, b.plan.idle)
		if err != nil {
			return nil, err
		}
		costs = append(costs, cost)
	}
	return costs, nil
}

// idleWatch counts what one service sends to its server.
type idleWatch struct {
	cost    idleCost
	rdb     *redis.Client
	monitor net.Conn
	stop    func()

	mu    sync.Mutex
	names map[string]int // nil: not counting
	ended error          // why nothing more is counted
}

func (b *bench) watchIdle(who string, queues int) (*idleWatch, error) {
	srv, err := b.startServer()
	if err != nil {
		return nil, err
	}
	w := &idleWatch{cost: idleCost{who: who, queues: queues}, rdb: srv.Client()}
	if w.monitor, err = net.Dial("tcp", srv.Addr()); err != nil {
		return nil, err
	}
	w.stop = func() { _ = w.monitor.Close() }
	if _, err = w.monitor.Write([]byte("MONITOR\r\n")); err != nil {
		return nil, err
	}
	go w.listen(w.monitor)
	if who == jar {
		_, err = b.java.call("idle %s %d", srv.URL(), queues)
		return w, err
	}
	s, err := open(b.ctx, srv.URL())
	if err != nil {
		return nil, err
	}
	w.stop = func() { _, _ = w.monitor.Close(), s.close(b.ctx) }
	var consumers []framework.Consumer
	for i := range queues {
		q := registry.Define[string](fmt.Sprintf("idle-%d", i), "an idle queue", registry.Codec(codecs.String()))
		consumers = append(consumers, framework.Consume(q, handlers.Func[string](never)))
	}
	return w, s.run(b.ctx, consumers...)
}

func never(context.Context, *handlers.Delivery[string]) error {
	return errors.New("an idle queue got a message")
}

// listen counts the lines of MONITOR that a client sent; scripts' own are marked. A line may be
// long: an EVAL has the source of its script.
func (w *idleWatch) listen(from io.Reader) {
	lines := bufio.NewReader(from)
	for {
		line, err := lines.ReadString('\n')
		w.mu.Lock()
		if err != nil {
			w.ended = fmt.Errorf("MONITOR ended: %w", err)
			w.mu.Unlock()
			return
		}
		if name := monitored(line); name != "" && w.names != nil {
			w.names[name]++
		}
		w.mu.Unlock()
	}
}

// monitored is the command in a line of MONITOR, "" for one of a script.
func monitored(line string) string {
	_, rest, ok := strings.Cut(line, " [")
	origin, command, cut := strings.Cut(rest, "] ")
	if !ok || !cut || strings.HasSuffix(origin, " lua") {
		return ""
	}
	name, _, _ := strings.Cut(strings.TrimSpace(command), " ")
	return strings.ToLower(strings.Trim(name, `"`))
}

func (w *idleWatch) begin() {
	w.mu.Lock()
	w.names = map[string]int{}
	w.mu.Unlock()
}

func (w *idleWatch) end(ctx context.Context, window time.Duration) (idleCost, error) {
	w.mu.Lock()
	w.cost.names, w.names = w.names, nil
	ended := w.ended
	w.mu.Unlock()
	if ended != nil {
		return w.cost, ended
	}
	total := 0
	for _, n := range w.cost.names {
		total += n
	}
	w.cost.commands = float64(total) / window.Seconds()
	list, err := w.rdb.ClientList(ctx).Result()
	for line := range strings.Lines(list) {
		if !strings.Contains(line, " flags=O ") && !strings.Contains(line, " cmd=client|list ") { // not our own two
			w.cost.connections++
		}
	}
	return w.cost, err
}
