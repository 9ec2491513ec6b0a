package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// Sizes of the mixed soak: a few processes serve very many queues of which few are busy.
const (
	mixedProcesses = 4
	mixedRate      = 60                     // messages a second that each of them offers
	mixedJavaRate  = 60                     // and that the JVM offers: half with a delay, half to the ready list
	mixedOffered   = 10                     // the JVM offers to each tenth queue by traffic, the busiest one among them,
	mixedTaken     = 50                     // and takes from each fiftieth
	mixedSoonest   = 500 * time.Millisecond // so that the time of the offer itself does not count as lateness
	mixedDelay     = 2 * time.Second
	mixedDrain     = 30 * time.Second // until all must have been handled
)

// The phases of the soak: in the first one the busy queues get their seats.
const (
	warming = iota
	judging
)

// mixedName is the queue of a rank by traffic. Neighbours in rank lie apart in the order in
// which processes declare their queues.
func mixedName(rank int) string { return manyName(rank * 377 % manyQueues) }

// zipf draws ranks: the queue of rank r gets 1/(r+1) of the traffic of the first one.
type zipf []float64

func newZipf(n int) zipf {
	z, sum := make(zipf, n), 0.0
	for r := range z {
		sum += 1 / float64(r+1)
		z[r] = sum
	}
	return z
}

func (z zipf) draw() int {
	return min(sort.SearchFloat64s(z, rand.Float64()*z[len(z)-1]), len(z)-1)
}

// mixer is one Go process of the soak. It offers and handles; messages are named by their
// origin, phase and number, and carry when they are due in µs: "go-0:1:17:1764075406000000".
type mixer struct {
	role
	side    *side
	queues  []*framework.Queue[string]
	traffic zipf

	mu    sync.Mutex
	taken []string // what handlers got: a message's name, the rank of the queue, and µs late
}

func (m *mixer) obey(ctx context.Context, command string) (string, error) {
	words := strings.Fields(command)
	switch words[0] {
	case "start":
		return "", m.start(ctx)
	case "offer": // PHASE RATE SECONDS; answers how many, and the numbers of those in doubt
		var phase, rate, seconds int
		if _, err := fmt.Sscan(strings.Join(words[1:], " "), &phase, &rate, &seconds); err != nil {
			return "", err
		}
		return m.offer(ctx, phase, rate, seconds)
	case "taken": // answers what was handled since it was asked last
		m.mu.Lock()
		defer m.mu.Unlock()
		text := strings.Join(m.taken, " ")
		m.taken = nil
		return text, nil
	}
	return "", fmt.Errorf("unknown command %q", command)
}

func (m *mixer) start(ctx context.Context) error {
	all := make([]framework.Consumer, m.Many)
	m.queues, m.traffic = make([]*framework.Queue[string], m.Many), newZipf(m.Many)
	order := make([]int, m.Many) // as services declare queues: by name, not by traffic
	for rank := range order {
		order[rank] = rank
	}
	slices.SortFunc(order, func(a, b int) int { return strings.Compare(mixedName(a), mixedName(b)) })
	for i, rank := range order {
		q := registry.Define[string](mixedName(rank), "one of many", registry.Codec(codecs.String()))
		m.queues[rank] = framework.Bind(m.side.client, q)
		all[i] = framework.Consume(q, handlers.Func[string](func(_ context.Context, d *handlers.Delivery[string]) error {
			return m.handle(rank, d.Payload)
		}))
	}
	return m.side.run(ctx, all...)
}

func (m *mixer) handle(rank int, payload string) error {
	now := time.Now().UnixMicro()
	name, due, ok := cutLast(payload)
	if !ok {
		return handlers.Reject("not a message of the soak")
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.taken = append(m.taken, fmt.Sprintf("%s:%d:%d", name, rank, now-due))
	return nil
}

// cutLast cuts the number off that follows the last colon.
func cutLast(text string) (before string, number int64, ok bool) {
	at := strings.LastIndexByte(text, ':')
	if at < 0 {
		return "", 0, false
	}
	number, err := strconv.ParseInt(text[at+1:], 10, 64)
	return text[:at], number, err == nil
}

func (m *mixer) offer(ctx context.Context, phase, rate, seconds int) (string, error) {
	n := rate * seconds
	answer := []string{strconv.Itoa(n)}
	began := time.Now()
	for i := range n {
		<-time.After(time.Until(began.Add(time.Duration(i) * time.Second / time.Duration(rate))))
		due := time.Now().Add(mixedSoonest + rand.N(mixedDelay-mixedSoonest)).Truncate(time.Millisecond)
		payload := fmt.Sprintf("%s:%d:%d:%d", m.Mixed, phase, i, due.UnixMicro())
		_, err := m.queues[m.traffic.draw()].OfferAt(ctx, payload, due)
		if _, unknown := errors.AsType[*fault.OutcomeUnknownError](err); unknown {
			answer = append(answer, strconv.Itoa(i))
		} else if err != nil {
			return "", err
		}
	}
	return strings.Join(answer, " "), nil
}

// mixed is what the soak found.
type mixed struct {
	offered, lost, twice, early int
	unknown                     int // offers whose outcome their caller was not told
	connections                 int
	cpu                         float64              // of Redis, of one core
	late                        map[string][]float64 // ms, by [lateOf]
	pings                       []float64            // ms: how late a timer and a PING were meanwhile, ascending
}

// Who handled a message, in which queues, and how it came to be there.
const (
	inFront   = "the busiest"
	theOthers = "the others"
	byGo      = "Go"
	byJava    = "JVM"
)

func lateOf(by, where, from string) string { return by + "|" + where + "|" + from }

// mixedFrom says by a message's origin how it came into its queue.
func mixedFrom(origin string) string {
	switch origin {
	case "java-offer":
		return "offered by the JVM"
	case "java-add":
		return "added by the JVM to the ready list"
	}
	return "offered by Go"
}

// mixing lets Go processes and the JVM offer to very many queues and take from them, and
// accounts for each message.
func (b *bench) mixing() (*mixed, error) {
	b.quiet()
	srv, err := b.startServer()
	if err != nil {
		return nil, err
	}
	defer func() { _ = srv.Stop() }()
	b.progress("mixed: %d processes and the JVM on %d queues", mixedProcesses, manyQueues)
	all, err := b.startMixers(srv.URL())
	defer all.stop()
	if err != nil {
		return nil, err
	}
	if _, err = b.java.call("mixed %s %s %s", srv.URL(), everyRank(mixedOffered), everyRank(mixedTaken)); err != nil {
		return nil, err
	}
	defer func() { _, _ = b.java.call("mixed-stop") }()
	b.sleep(manySettling)
	m := &mixed{late: map[string][]float64{}}
	open := map[string]bool{} // offered and not handled; false: in doubt
	if err = b.mix(all, m, open, warming, b.plan.mixedWarm); err != nil {
		return nil, err
	}
	rdb := srv.Client()
	before, err := redisCPU(b.ctx, rdb)
	if err != nil {
		return nil, err
	}
	began, pings := time.Now(), b.pinging(rdb)
	err = b.mix(all, m, open, judging, b.plan.mixedFor)
	m.pings = pings()
	if err != nil {
		return nil, err
	}
	after, err := redisCPU(b.ctx, rdb)
	if err != nil {
		return nil, err
	}
	m.cpu = (after - before) / float64(time.Since(began).Microseconds())
	if m.connections, err = connectionsOf(b.ctx, rdb); err != nil {
		return nil, err
	}
	if err = b.account(all, m, open); err != nil {
		return nil, err
	}
	for _, late := range m.late {
		slices.Sort(late)
	}
	b.detail("mixed: %d offered, %d lost, %d twice, %d early; Redis %.1f %%", m.offered, m.lost, m.twice, m.early, 100*m.cpu)
	return m, nil
}

func (b *bench) startMixers(url string) (all children, err error) {
	for i := range mixedProcesses {
		c, err := b.startChild(role{URL: url, Many: manyQueues, Mixed: fmt.Sprintf("go-%d", i)}, i)
		if err != nil {
			return all, err
		}
		all = append(all, c)
		if _, err = c.call("start"); err != nil {
			return all, err
		}
	}
	return all, nil
}

// everyRank lists the queues of each n-th rank for the JVM: NAME@RANK,…
func everyRank(n int) string {
	var parts []string
	for rank := 0; rank < manyQueues; rank += n {
		parts = append(parts, fmt.Sprintf("%s@%d", mixedName(rank), rank))
	}
	return strings.Join(parts, ",")
}

// mix lets all offer for so long, and notes what they have offered.
func (b *bench) mix(all children, m *mixed, open map[string]bool, phase int, long time.Duration) error {
	seconds := int(long / time.Second)
	b.progress("mixed: %d s of messages", seconds)
	answers, failed := make([]string, len(all)+1), make([]error, len(all)+1)
	var offering sync.WaitGroup
	for i, c := range all {
		offering.Go(func() { answers[i], failed[i] = c.call("offer %d %d %d", phase, mixedRate, seconds) })
	}
	offering.Go(func() {
		answers[len(all)], failed[len(all)] = b.java.call("mixed-offer %d %d %d", phase, mixedJavaRate, seconds)
	})
	offering.Wait()
	if err := errors.Join(failed...); err != nil {
		return err
	}
	note := func(origin string, numbers int) {
		for i := range numbers {
			open[fmt.Sprintf("%s:%d:%d", origin, phase, i)] = true
		}
		m.offered += numbers
	}
	for i, answer := range answers {
		words := strings.Fields(answer)
		n, err := strconv.Atoi(words[0])
		if err != nil {
			return err
		}
		if i == len(all) {
			note("java-offer", n)
			note("java-add", n)
			continue
		}
		origin := fmt.Sprintf("go-%d", i)
		note(origin, n)
		for _, number := range words[1:] {
			open[fmt.Sprintf("%s:%d:%s", origin, phase, number)] = false
			m.unknown++
		}
	}
	return nil
}

// account collects what all have handled until nothing is missing.
func (b *bench) account(all children, m *mixed, open map[string]bool) error {
	handled := map[string]bool{}
	collect := func(by string, p *program, command string) error {
		text, err := p.call("%s", command)
		if err != nil {
			return err
		}
		for one := range strings.FieldsSeq(text) {
			if err := m.took(by, one, open, handled); err != nil {
				return err
			}
		}
		return nil
	}
	for began := time.Now(); b.ctx.Err() == nil; b.sleep(500 * time.Millisecond) {
		for _, c := range all {
			if err := collect(byGo, c.program, "taken"); err != nil {
				return err
			}
		}
		if err := collect(byJava, b.java, "mixed-taken"); err != nil {
			return err
		}
		m.lost = 0
		for _, sure := range open {
			if sure {
				m.lost++
			}
		}
		// What comes twice may come a little later.
		if waited := time.Since(began); m.lost == 0 && waited > 3*time.Second || waited > mixedDrain {
			return nil
		}
	}
	return b.ctx.Err()
}

// took notes one message that was handled: NAME:RANK:µs.
func (m *mixed) took(by, one string, open, handled map[string]bool) error {
	rest, late, ok := cutLast(one)
	name, rank, also := cutLast(rest)
	words := strings.Split(name, ":") // origin, phase, number
	_, known := open[name]
	switch {
	case !ok || !also || len(words) != 3:
		return fmt.Errorf("%s handled %q", by, one)
	case handled[name]:
		m.twice++
		return nil
	case !known:
		return fmt.Errorf("%s handled %q, which was not offered", by, one)
	}
	delete(open, name)
	handled[name] = true
	if late < 0 {
		m.early++
	}
	if words[1] != strconv.Itoa(judging) {
		return nil
	}
	where := theOthers
	if rank < framework.DefaultBlockingWaits {
		where = inFront
	}
	key := lateOf(by, where, mixedFrom(words[0]))
	m.late[key] = append(m.late[key], float64(late)/1000)
	return nil
}

// of collects lateness of what one side handled in these queues, ascending.
func (m *mixed) of(by, where string) []float64 {
	var all []float64
	for key, late := range m.late {
		if strings.HasPrefix(key, by+"|"+where+"|") {
			all = append(all, late...)
		}
	}
	slices.Sort(all)
	return all
}

func (m *mixed) goals() []goal {
	const least = "a timer and a PING of a process that does nothing else take %s ms at p99 meanwhile: %d processes, the JVM and Redis share the cores of this machine"
	p99 := figure(quantile(m.pings, 0.99))
	return []goal{
		atMost("mixed soak: messages lost", float64(m.lost), 0),
		atMost("mixed soak: messages handled twice", float64(m.twice), 0),
		atMost("mixed soak: messages handled early", float64(m.early), 0),
		atMost("mixed soak: late in queues in front, ms, p99", quantile(m.of(byGo, inFront), 0.99), 20).because(least, p99, mixedProcesses),
		atMost("mixed soak: late in the other queues, ms, p99", quantile(m.of(byGo, theOthers), 0.99), 100).because(least, p99, mixedProcesses),
	}
}

func (m *mixed) write(w *strings.Builder, p plan) {
	fmt.Fprintf(w, `%d Go processes, each a process of its own, serve the same %d queues and offer to them; a JVM with Redisson offers to each %dth of the queues by traffic and takes from each %dth. The traffic is Zipf's: the second queue gets a half of what the first one gets, the third one a third. Each Go process offers %d messages a second that fall due 0.5 to 2 s later, the JVM as many: half with a delay, which it also transfers, half to the ready list. %v to warm up, then %v that are judged; all of both are accounted for. *The busiest* are the first %d by traffic, as many as wait in Redis; the others rest. Late: from due, or added, to the start of the handler.

Offered %d (%d of them with an unknown outcome), lost %d, handled twice %d, early %d. %d connections; Redis used %.0f %% of a core.

`, mixedProcesses, manyQueues, mixedOffered, mixedTaken, mixedRate, p.mixedWarm, p.mixedFor, framework.DefaultBlockingWaits,
		m.offered, m.unknown, m.lost, m.twice, m.early, m.connections, 100*m.cpu)
	table(w, "handled by", "queues", "messages", "number", "late, ms: p50", "p99", "max")
	for _, by := range []string{byGo, byJava} {
		for _, where := range []string{inFront, theOthers} {
			for _, origin := range []string{"", "java-offer", "java-add"} {
				late := m.late[lateOf(by, where, mixedFrom(origin))]
				row(w, by, where, mixedFrom(origin), strconv.Itoa(len(late)), figure(quantile(late, 0.5)), figure(quantile(late, 0.99)), figure(quantile(late, 1)))
			}
			all := m.of(by, where)
			row(w, by, where, "all", strconv.Itoa(len(all)), figure(quantile(all, 0.5)), figure(quantile(all, 0.99)), figure(quantile(all, 1)))
		}
	}
	w.WriteString("\n")
}
