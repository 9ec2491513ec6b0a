package engine

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/background"
	"github.com/duequeue/duequeue/framework/internal/chance"
	"github.com/duequeue/duequeue/framework/internal/redisapi"
	"github.com/duequeue/duequeue/framework/internal/rediserr"
	"github.com/duequeue/duequeue/framework/internal/retry"
)

const (
	// pollShare is how much longer the pause after a poll is than the poll took: Redis needs less
	// than that time for it, so that polls cost it at most one per cent.
	pollShare = 100
	// pollLeast and pollMost bound the pause, of a process of a small fleet.
	pollLeast, pollMost = 50 * time.Millisecond, time.Second
	// pollsTogether is how often in pollMost a large fleet looks at one list, all processes together:
	// the polls of hundreds of processes would cost Redis more than one per cent.
	pollsTogether = 5
	// pollTimeout bounds one poll.
	pollTimeout = 5 * time.Second
)

// poller finds messages of queues that rest without a connection of their own: it asks for the
// lengths of their ready lists, in one pipeline for each node. A node that hangs holds up its own
// queues alone. Make it with newPoller; it is safe for concurrent use.
type poller struct {
	rdb     redisapi.Client
	running *background.Group

	mu      sync.Mutex // guards what follows
	resting map[*polledList]struct{}
	nodes   map[redisapi.Client]*polledNode
}

// polledList is the ready list of one queue.
type polledList struct {
	key       string
	processes func() int // how many serve the queue: they share the one per cent
	wake      func()     // is called when there are messages; must not block
}

// polledNode is a server that holds such lists.
type polledNode struct {
	asking bool
	next   time.Time // when it is asked again
}

func newPoller(rdb redisapi.Client, running *background.Group) *poller {
	return &poller{rdb: rdb, running: running, nodes: map[redisapi.Client]*polledNode{}, resting: map[*polledList]struct{}{}}
}

// Rest says that a queue rests: it is woken when its list has messages, until awake is called.
func (p *poller) Rest(l *polledList) (awake func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.resting[l] = struct{}{}
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.resting, l)
	}
}

// run polls until ctx ends.
func (p *poller) run(ctx context.Context) {
	for pause := chance.Below(pollMost); retry.Pause(ctx, pause) == nil; { // processes of a deploy start together
		pause = p.poll(ctx)
	}
}

// poll asks the nodes whose time has come, and returns when to look again.
func (p *poller) poll(ctx context.Context) time.Duration {
	groups := p.byNode(ctx, p.lists())
	due, pause := p.due(groups)
	for node, n := range due {
		p.running.Go(ctx, "ask for the lengths of ready lists", func() { p.ask(ctx, n, groups[node]) })
	}
	return pause
}

// due returns the nodes to ask now, and when to look again.
func (p *poller) due(groups map[redisapi.Client][]*polledList) (due map[redisapi.Client]*polledNode, pause time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	maps.DeleteFunc(p.nodes, func(node redisapi.Client, n *polledNode) bool { return groups[node] == nil && !n.asking })
	due, pause = map[redisapi.Client]*polledNode{}, pollMost
	for node := range groups {
		n := p.nodes[node]
		if n == nil {
			n = &polledNode{}
			p.nodes[node] = n
		}
		left := time.Until(n.next)
		if !n.asking && left <= 0 {
			n.asking, due[node] = true, n
		}
		if n.asking {
			left = pollLeast
		}
		pause = min(pause, left)
	}
	return due, pause
}

// lists returns those of the queues that rest, in one order, so that a simulated run can be repeated.
func (p *poller) lists() []*polledList {
	p.mu.Lock()
	defer p.mu.Unlock()
	lists := make([]*polledList, 0, len(p.resting))
	for l := range p.resting {
		lists = append(lists, l)
	}
	slices.SortFunc(lists, func(a, b *polledList) int { return strings.Compare(a.key, b.key) })
	return lists
}

// byNode groups lists by the node of a Cluster that holds them; those of unknown nodes are a group.
func (p *poller) byNode(ctx context.Context, lists []*polledList) map[redisapi.Client][]*polledList {
	groups := map[redisapi.Client][]*polledList{}
	for _, l := range lists {
		node, err := redisapi.Node(ctx, p.rdb, l.key)
		if err != nil {
			node = p.rdb
		}
		groups[node] = append(groups[node], l)
	}
	return groups
}

// ask asks one node, wakes the queues that have messages, and plans the next poll.
func (p *poller) ask(ctx context.Context, n *polledNode, lists []*polledList) {
	began, pause := time.Now(), pollMost
	defer func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		n.asking, n.next = false, time.Now().Add(pause)
	}()
	timed, cancel := context.WithTimeout(ctx, pollTimeout)
	defer cancel()
	pipe := p.rdb.Pipeline()
	lengths := make([]*redis.IntCmd, len(lists))
	for i, l := range lists {
		lengths[i] = pipe.LLen(timed, l.key)
	}
	_, err := pipe.Exec(timed)
	took, processes := time.Since(began), 0
	for i, l := range lists {
		length, refused := lengths[i].Result()
		var wrong *fault.WrongTypeError // the take says what is the matter
		if length > 0 || errors.As(rediserr.Classify("LLEN", refused), &wrong) {
			l.wake()
		}
		processes += l.processes()
	}
	if err == nil { // else takes and transfers fail as well, and say so
		pause = pollPause(took, float64(processes)/float64(len(lists)))
	}
}

// pollPause is how long to wait after a poll that took so long, where so many processes poll.
func pollPause(took time.Duration, processes float64) time.Duration {
	most := time.Duration(float64(pollMost) * max(processes/pollsTogether, 1))
	return min(max(time.Duration(pollShare*float64(took)*max(processes, 1)), pollLeast), most)
}
