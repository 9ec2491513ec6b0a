package main

import (
	"bufio"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"net"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/internal/lab"
)

const (
	manyQueues = 1000
	idleSettle = 10 * time.Second // a service closes what only its start needed after some seconds
)

// idled is what one process with idle queues costs.
type idled struct {
	queues      int
	start, stop float64 // ms
	each        float64 // commands a second for each queue
	connections int
	goroutines  float64
	heap        float64 // bytes
	late        float64 // ms at p99 from a push of another client to the handler
}

// idle measures processes with empty queues, and how soon one with a thousand sees what is pushed.
func (b *bench) idle() (*chapter, error) {
	c := &chapter{
		heading: "Idle queues",
		text: fmt.Sprintf("One process with empty queues: commands as the client sends them, by MONITOR over %.0f s; Redisson has an RDelayedQueue and a take() for each queue. Then another client pushes %d messages into random ones of them.",
			b.plan.idleFor.Seconds(), b.plan.pushes),
		columns: []string{"", "commands/s per queue", "connections", "goroutines", "heap, kB", "start, ms", "stop, ms", "pushed to handled, p99, ms"},
	}
	var few, many idled
	for _, s := range []struct {
		who    string
		queues int
	}{{ours, 1}, {ours, 8}, {jar, 8}, {ours, manyQueues}} {
		b.progress("  %s, %d queues", s.who, s.queues)
		d, err := b.idleOnce(s.who, s.queues)
		if err != nil {
			return nil, fmt.Errorf("%s with %d queues: %w", s.who, s.queues, err)
		}
		name := fmt.Sprintf("%s, %d queues", s.who, s.queues)
		c.row(name, figure(d.each), strconv.Itoa(d.connections), figure(d.goroutines), figure(d.heap/1000), figure(d.start), figure(d.stop), figure(d.late))
		if s.who == ours && s.queues < manyQueues {
			c.atMost(name+": commands/s per queue", d.each, 1, "")
			c.atMost(name+": connections", float64(d.connections), float64(s.queues+3), "")
		}
		if s.queues == 1 {
			few = d
		}
		many = d
	}
	name, more := fmt.Sprintf("%s, %d queues: ", ours, many.queues), float64(many.queues-few.queues)
	c.atMost(name+"connections", float64(many.connections), framework.DefaultBlockingWaits+4, "")
	c.atMost(name+"goroutines per queue", (many.goroutines-few.goroutines)/more, 3, "")
	c.atMost(name+"heap per queue, kB", (many.heap-few.heap)/more/1000, 30, "OpenTelemetry's counters keep a set of attributes and a reservoir for each queue")
	c.atMost(name+"start, ms", many.start, 1000, "")
	c.atMost(name+"stop, ms", many.stop, 1000, "")
	c.atMost(name+"pushed to handled, p99, ms", many.late, 1000, "queues beyond those that wait in Redis are polled")
	return c, nil
}

func (b *bench) idleOnce(who string, queues int) (d idled, err error) {
	d.queues, d.goroutines, d.heap = queues, math.NaN(), math.NaN()
	srv, err := b.startServer()
	if err != nil {
		return d, err
	}
	defer func() { err = errors.Join(err, srv.Stop()) }()
	p, err := b.java()
	if who == ours {
		p, err = b.service(0)
	}
	if err != nil {
		return d, err
	}
	if _, err = p.call("serve %s %s 1 1 %d 0 %d", srv.URL(), dueQueue, b.plan.pushes, queues); err != nil {
		return d, err
	}
	if d.start, err = timed(p, "serve-start"); err != nil {
		return d, err
	}
	b.sleep(idleSettle)
	sent, err := b.monitor(srv.Addr())
	if err != nil {
		return d, err
	}
	d.each = float64(sent) / b.plan.idleFor.Seconds() / float64(queues)
	list, err := srv.Client().ClientList(b.ctx).Result()
	for line := range strings.Lines(list) {
		if !strings.Contains(line, " cmd=client|list ") { // our own
			d.connections++
		}
	}
	if err == nil && who == ours {
		d.goroutines, err = p.rate("weigh", &d.heap)
	}
	if err == nil {
		err = b.pushInto(&d, srv, p)
	}
	if err != nil {
		return d, err
	}
	d.stop, err = timed(p, "serve-stop")
	return d, err
}

// timed returns how many ms a command takes.
func timed(p *program, command string) (float64, error) {
	began := time.Now()
	_, err := p.call("%s", command)
	return milliseconds(time.Since(began)), err
}

// monitor counts the commands that clients send to a server.
func (b *bench) monitor(addr string) (sent int, err error) {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		return 0, err
	}
	defer func() { _ = conn.Close() }()
	if _, err = conn.Write([]byte("MONITOR\r\n")); err == nil {
		err = conn.SetReadDeadline(time.Now().Add(b.plan.idleFor))
	}
	for lines := bufio.NewReader(conn); err == nil; { // a line may be long: an EVAL has the source of its script
		var line string
		line, err = lines.ReadString('\n')
		if err == nil && fromClient.MatchString(line) {
			sent++
		}
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = nil
	}
	return sent, err
}

// fromClient is a line of MONITOR that no script caused: +1700000000.123456 [0 127.0.0.1:5000] "ping".
var fromClient = regexp.MustCompile(`^\+[0-9.]+ \[\d+ \S+:\d+\] `)

// pushInto pushes texts into random ones of the queues, as a client does that knows nothing of us.
func (b *bench) pushInto(d *idled, srv *lab.Server, p *program) error {
	pushed, late := make([]int64, b.plan.pushes), []float64{}
	for i := range pushed {
		b.sleep(10 * time.Millisecond)
		pushed[i] = time.Now().UnixMicro()
		if err := srv.Client().RPush(b.ctx, nameOf(dueQueue, rand.IntN(d.queues)), text(i)).Err(); err != nil {
			return err
		}
	}
	times, err := b.await([]*program{p}, len(pushed))
	for i, t := range times {
		late = append(late, float64(t-pushed[i])/1000)
	}
	d.late = quantile(late, 0.99)
	return err
}
