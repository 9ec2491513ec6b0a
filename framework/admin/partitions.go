package admin

import (
	"context"
	"fmt"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/internal/access"
	"github.com/duequeue/duequeue/framework/internal/queue/delayed"
	"github.com/duequeue/duequeue/framework/internal/queue/partitions"
	"github.com/duequeue/duequeue/framework/internal/redisapi"
	"github.com/duequeue/duequeue/framework/internal/rediserr"
	"github.com/duequeue/duequeue/framework/internal/wire"
	"github.com/duequeue/duequeue/registry"
)

// Partition is one partition of a queue, and what is there, see [registry.Partitions].
type Partition struct {
	Number int
	Name   string // for Java's getBlockingQueue
	Slot   int    // of a Redis Cluster
	Node   string // the primary that serves the slot; "" without a Cluster

	Ready, Delayed, InFlight, Dead int64
	Sessions                       int64 // Go processes that serve it

	// Used says that processes offer to it, by the number that they have noted. One that
	// is not used may be left unserved as soon as it is empty.
	Used bool
}

// Empty reports whether no message is there.
func (p Partition) Empty() bool { return p.Ready+p.Delayed+p.InFlight+p.Dead == 0 }

// Partitions returns the partitions of a queue that is named as for [Diagnose]: those that
// processes serve, by the numbers that they have noted in Redis, and further ones in which
// there is anything. A queue without partitions has one. Errors are those of [Diagnose], and a
// [*fault.PartitionsError] for a note that cannot be read.
func Partitions(ctx context.Context, c *framework.Client, queue string) ([]Partition, error) {
	client := access.Of(c)
	all, noted, err := partsOf(ctx, client, queue)
	if err != nil {
		return nil, err
	}
	served := len(all)
	more, err := strays(ctx, client, queue, served)
	if err != nil {
		return nil, err
	}
	var out []Partition
	for _, k := range append(all, more...) {
		n, err := partitions.Counts(ctx, client.Redis, []wire.Keys{k})
		if err != nil {
			return nil, err
		}
		p := Partition{
			Number: k.Partition, Name: wire.PartitionName(queue, k.Partition), Slot: wire.Slot(k.Queue),
			Ready: n.Ready, Delayed: n.Delayed, InFlight: n.InFlight, Dead: n.Dead, Sessions: n.Sessions,
			Used: k.Partition < max(noted.N, 1),
		}
		if redisapi.IsCluster(client.Redis) {
			node, err := redisapi.Node(ctx, client.Redis, k.Queue)
			if err != nil {
				return nil, rediserr.Classify("CLUSTER SLOTS", err)
			}
			p.Node = redisapi.OptionsOf(node).Addr
		}
		out = append(out, p)
	}
	return out, nil
}

// partsOf returns the keys of all partitions of a queue that processes serve, and what they
// have noted of their number.
func partsOf(ctx context.Context, client access.Client, queue string) ([]wire.Keys, delayed.Spread, error) {
	return partitions.Served(ctx, client.Redis, queue, client.Keys)
}

// declared returns how processes declare the partitions of a queue, and their keys.
func declared(ctx context.Context, client access.Client, queue string) (opts []registry.Option, all []wire.Keys, err error) {
	all, noted, err := partsOf(ctx, client, queue)
	return access.PartitionOptions(noted.N, noted.Other), all, err
}

// strays returns the keys of partitions from a number on in which there is anything.
func strays(ctx context.Context, client access.Client, queue string, from int) ([]wire.Keys, error) {
	if from == 1 {
		return nil, nil // a user may be for one partition alone
	}
	all, err := partitions.Keys(queue, registry.MaxPartitions, client.Keys)
	if err != nil {
		return nil, err
	}
	pipe := client.Redis.Pipeline()
	exist := make([]*redis.IntCmd, len(all))
	for i, k := range all[from:] {
		exist[from+i] = pipe.Exists(ctx, k.Queue, k.Timeout, k.Dead, k.Sessions)
	}
	if _, err := pipe.Exec(ctx); err != nil {
		return nil, rediserr.Classify("EXISTS", err)
	}
	var found []wire.Keys
	for i, k := range all[from:] {
		if exist[from+i].Val() > 0 {
			found = append(found, k)
		}
	}
	return found, nil
}

// checkPartitions looks for messages in partitions that no process serves.
func checkPartitions(ctx context.Context, client access.Client, queue string, all []wire.Keys) ([]Finding, error) {
	found, err := checkServed(ctx, client, queue, all)
	if err != nil {
		return nil, err
	}
	more, err := strays(ctx, client, queue, len(all))
	if err != nil || len(more) == 0 {
		return found, err
	}
	n, err := partitions.Counts(ctx, client.Redis, more)
	if err != nil || n.Ready+n.Delayed+n.Dead+n.InFlight == 0 {
		return found, err
	}
	lie := n.Ready + n.Delayed + n.Dead + n.InFlight
	return append(found, Finding{
		Check: "partitions", Severity: SeverityError, Queue: queue, Count: lie,
		Message: fmt.Sprintf("%s in %s beyond the %d that processes have noted", count(lie, "message is", "messages are"), count(int64(len(more)), "partition", "partitions"), len(all)),
		Advice:  fmt.Sprintf("declare registry.OtherPartitions(%d) until they are empty: this command shows where they are", more[len(more)-1].Partition+1), Command: "duequeue partitions " + shellName(queue),
	}), nil
}

// EveryPartition returns the name that stands for all partitions of a queue but the first
// in [ACLRules].
func EveryPartition(queue string) string { return wire.PartitionsPrefix(queue) + "*" }
