package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/integration/bench/rounds"
	"github.com/duequeue/duequeue/framework/integration/chaos/fault"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// spreads are the numbers of partitions that are measured on a cluster of three.
var spreads = []int{1, 3, 4, 8, 32}

const (
	spreadCallers = 8    // goroutines that offer one after the other
	spreadRate    = 1000 // messages that they offer a second for each node
	spreadDelay   = 100 * time.Millisecond
	spreadWorkers = 32
)

// spreadCost is what the messages of one queue cost the nodes of a cluster.
type spreadCost struct {
	backlog    bool // all messages were ready at once; else they fell due one by one
	partitions int
	commands   [][]float64 // of each round, the share of each node, the largest first
	cpu        [][]float64
	perMessage []float64 // µs of Redis
	asked      []float64 // commands per message, with those in scripts
	rates      []float64 // messages a second
}

// rate is how many messages are offered a second: as many for each node that serves some.
func (c *spreadCost) rate() int { return spreadRate * min(c.partitions, 3) }

// nodeStats is what a node has done so far.
type nodeStats struct{ commands, cpu float64 } // cpu in µs

func statsOf(ctx context.Context, rdb *redis.Client) (nodeStats, error) {
	n, err := info(ctx, rdb, "total_commands_processed", "used_cpu_user_main_thread", "used_cpu_sys_main_thread")
	if err != nil {
		return nodeStats{}, err
	}
	return nodeStats{commands: n[0], cpu: (n[1] + n[2]) * 1e6}, nil
}

// spreading lets messages fall due in queues of more and more partitions, in turn.
func (b *bench) spreading() ([]spreadCost, error) {
	cluster, err := fault.StartCluster(b.ctx, fault.ServerOptions{Fsync: fault.Nothing})
	if err != nil {
		return nil, err
	}
	defer func() { _ = cluster.Close() }()
	client, err := framework.Open(b.ctx, framework.Config{Redis: framework.RedisConfig{Addrs: cluster.Addrs(), Mode: framework.ModeCluster}},
		framework.WithLogger(slog.New(slog.NewTextHandler(io.Discard, nil))))
	if err != nil {
		return nil, err
	}
	defer func() { _ = client.Close() }()
	var costs []spreadCost
	for _, backlog := range []bool{true, false} {
		for _, n := range spreads {
			costs = append(costs, spreadCost{backlog: backlog, partitions: n})
		}
	}
	for round := range b.plan.spreadRounds + 1 {
		for i := range costs {
			b.quiet()
			c, messages := &costs[i], b.plan.spreadMessages
			if !c.backlog {
				messages = c.rate() * b.plan.spreadSeconds
			}
			if round == 0 { // it warms up
				c, messages = &spreadCost{backlog: c.backlog, partitions: c.partitions}, messages/10
			}
			b.progress("%d partitions, round %d", c.partitions, round)
			if err := b.spreadOnce(cluster, client, c, fmt.Sprintf("spread-%d-%d", i, round), messages); err != nil {
				return nil, fmt.Errorf("%d partitions: %w", c.partitions, err)
			}
		}
	}
	return costs, nil
}

func (b *bench) spreadOnce(cluster *fault.Cluster, client *framework.Client, c *spreadCost, name string, messages int) (err error) {
	queue := registry.Define[string](name, "spread over a cluster", registry.Codec(codecs.String()), registry.Partitions(c.partitions))
	var handled atomic.Int64
	all := make(chan struct{})
	engine, err := framework.New(client, []framework.Consumer{framework.Consume(queue, handlers.Func[string](func(context.Context, *handlers.Delivery[string]) error {
		if handled.Add(1) == int64(messages) {
			close(all)
		}
		return nil
	}), framework.Workers(spreadWorkers))})
	if err != nil {
		return err
	}
	if c.backlog {
		err = engine.Pause("the backlog gathers", "bench")
	}
	if err == nil {
		err = engine.Start(b.ctx)
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, engine.Stop(b.ctx)) }()
	q, payload := framework.Bind(client, queue), strings.Repeat("x", payloadBytes)
	if c.backlog {
		if err = b.gather(cluster, client, name, payload, messages); err != nil {
			return err
		}
	}
	before, err := clusterStats(b.ctx, cluster)
	if err != nil {
		return err
	}
	began := time.Now()
	if c.backlog {
		err = engine.Resume()
	} else {
		err = b.trickle(q, payload, messages, c.rate())
	}
	if err != nil {
		return err
	}
	select {
	case <-all:
	case <-time.After(time.Minute):
		return fmt.Errorf("%d of %d messages came", handled.Load(), messages)
	case <-b.ctx.Done():
		return context.Cause(b.ctx)
	}
	took := time.Since(began)
	after, err := clusterStats(b.ctx, cluster)
	if err != nil {
		return err
	}
	c.add(before, after, messages, took)
	return nil
}

// add adds a round, from what the nodes had done before and after it.
func (c *spreadCost) add(before, after []nodeStats, messages int, took time.Duration) {
	var commands, cpu []float64
	total, asked := 0.0, 0.0
	for i := range after {
		commands, cpu = append(commands, after[i].commands-before[i].commands), append(cpu, after[i].cpu-before[i].cpu)
		total += cpu[i]
		asked += commands[i]
	}
	c.commands, c.cpu = append(c.commands, sharesOf(commands)), append(c.cpu, sharesOf(cpu))
	c.perMessage = append(c.perMessage, total/float64(messages))
	c.asked = append(c.asked, asked/float64(messages))
	c.rates = append(c.rates, float64(messages)/took.Seconds())
}

// gather puts messages onto the ready lists of a queue that is paused.
func (b *bench) gather(cluster *fault.Cluster, client *framework.Client, name string, payload string, messages int) error {
	all, err := admin.Partitions(b.ctx, client, name)
	if err != nil {
		return err
	}
	pipe := cluster.Client().Pipeline()
	for i := range messages {
		pipe.RPush(b.ctx, all[i%len(all)].Name, payload)
	}
	_, err = pipe.Exec(b.ctx)
	return err
}

// trickle offers messages one after the other, by several goroutines at a rate.
func (b *bench) trickle(q *framework.Queue[string], payload string, messages, rate int) error {
	began := time.Now()
	errs := make([]error, spreadCallers)
	var offering sync.WaitGroup
	for i := range errs {
		offering.Go(func() {
			for at := i; at < messages; at += spreadCallers {
				b.sleep(time.Until(began.Add(time.Duration(at) * time.Second / time.Duration(rate))))
				if _, errs[i] = q.Offer(b.ctx, payload, spreadDelay); errs[i] != nil {
					return
				}
			}
		})
	}
	offering.Wait()
	return errors.Join(errs...)
}

func clusterStats(ctx context.Context, cluster *fault.Cluster) ([]nodeStats, error) {
	var all []nodeStats
	for _, n := range cluster.Nodes() {
		s, err := statsOf(ctx, n.Client())
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

// sharesOf are the parts of a whole, the largest first.
func sharesOf(values []float64) []float64 {
	total := 0.0
	for _, v := range values {
		total += v
	}
	shares := make([]float64, len(values))
	for i, v := range values {
		shares[i] = v / total
	}
	slices.SortFunc(shares, func(a, b float64) int { return cmp.Compare(b, a) })
	return shares
}

// middle is the median of each place over the rounds.
func middle(taken [][]float64) []float64 {
	out := make([]float64, len(taken[0]))
	for i := range out {
		var values []float64
		for _, r := range taken {
			values = append(values, r[i])
		}
		out[i] = rounds.Median(values)
	}
	return out
}

// uneven is how far the shares are from even ones, at most.
func uneven(shares []float64) float64 {
	even, most := 1/float64(len(shares)), 0.0
	for _, s := range shares {
		most = max(most, math.Abs(s/even-1))
	}
	return most
}

// dearer is Redis's time per message in proportion to that of one queue.
func (c *spreadCost) dearer(one *spreadCost) float64 {
	return rounds.Median(rounds.Ratios(c.perMessage, one.perMessage))
}

// whyDearer tells whether Redis does more for a message, or the same takes longer.
func (c *spreadCost) whyDearer(one *spreadCost) string {
	asked, askedOne := rounds.Median(c.asked), rounds.Median(one.asked)
	return fmt.Sprintf("%s commands per message, with those in scripts, of %s µs each, against %s of %s µs of one queue; three nodes and the process share the cores of this machine",
		figure(asked), figure(rounds.Median(c.perMessage)/asked), figure(askedOne), figure(rounds.Median(one.perMessage)/askedOne))
}

func spreadGoals(costs []spreadCost) (goals []goal) {
	for i := range costs {
		c := &costs[i]
		if c.partitions != spreads[len(spreads)-1] {
			continue
		}
		goals = append(goals,
			atMost(fmt.Sprintf("%s, %d partitions on 3 nodes: a node's share of commands from even, %%", c.load(), c.partitions), 100*uneven(middle(c.commands)), 10),
			atMost(fmt.Sprintf("%s, %d partitions on 3 nodes: a node's share of Redis's CPU from even, %%", c.load(), c.partitions), 100*uneven(middle(c.cpu)), 10),
			atMost(fmt.Sprintf("%s, %d partitions: Redis's CPU per message ÷ that of one queue", c.load(), c.partitions), c.dearer(oneOf(costs, c)), 1.1).because("%s", c.whyDearer(oneOf(costs, c))))
	}
	return goals
}

// load is what the messages did.
func (c *spreadCost) load() string {
	if c.backlog {
		return "backlog"
	}
	return "one by one"
}

// oneOf is the cost of one queue under the same load.
func oneOf(costs []spreadCost, c *spreadCost) *spreadCost {
	i := slices.IndexFunc(costs, func(o spreadCost) bool { return o.backlog == c.backlog && o.partitions == 1 })
	return &costs[i]
}

func writeSpread(w *strings.Builder, costs []spreadCost, p plan) {
	fmt.Fprintf(w, "One queue of so many partitions (`registry.Partitions`) on a Redis Cluster of three masters, all on this machine; one engine handles it with %d workers and handlers that do nothing. Messages have %d bytes. *Backlog*: %d lie ready, and the queue is resumed. *One by one*: %d goroutines offer %d messages a second for each node that has partitions, due %v later, for %d s; so a node has the same load whatever the number of partitions, and a partition of many has little to do at once. %d rounds, in which all take turns. The shares are those of the nodes, the largest first, as medians: of commands, with those in scripts, and of the CPU time of Redis's main thread. Two processors serve all nodes and both sides of the work, so that messages a second say what the partitions cost here and not what three machines could do.\n\n",
		spreadWorkers, payloadBytes, p.spreadMessages, spreadCallers, spreadRate, spreadDelay, p.spreadSeconds, p.spreadRounds)
	fmt.Fprintln(w, "| load | partitions | commands of each node | CPU of each node | from even, at most | Redis's CPU per message | ÷ one queue | messages/s |")
	fmt.Fprintln(w, "|---|---|---|---|---|---|---|---|")
	for i := range costs {
		c := &costs[i]
		commands, cpu := middle(c.commands), middle(c.cpu)
		fmt.Fprintf(w, "| %s | %d | %s | %s | %.0f %% | %.1f µs | %.2f | %.0f |\n", c.load(), c.partitions, percents(commands), percents(cpu),
			100*max(uneven(commands), uneven(cpu)), rounds.Median(c.perMessage), c.dearer(oneOf(costs, c)), rounds.Median(c.rates))
	}
	fmt.Fprintln(w)
}

func percents(shares []float64) string {
	var parts []string
	for _, s := range shares {
		parts = append(parts, fmt.Sprintf("%.0f %%", 100*s))
	}
	return strings.Join(parts, ", ")
}
