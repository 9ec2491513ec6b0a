package look

import (
	"context"
	"fmt"
	"strconv"

	"github.com/urfave/cli/v3"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/env"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/screen"
)

const partitionsHelp = `
A queue declared with registry.Partitions(n) is n queues of Redisson, its
partitions. partitions shows their names, the slots and, on a Cluster, the nodes where
they are now, and how many messages lie in each.

QUEUE is the name that Java gives to getBlockingQueue. The number of partitions is the one
that Go processes have noted in Redis when they started. The last column is "used" while processes offer there, "drains" where they do not any
more and messages are left, and "may go" where nothing is left: processes need not
serve it any longer, so registry.OtherPartitions may be dropped once no partition drains.
A key whose message waits in a partition that is used moves to its new one when its
window has ended: drop OtherPartitions after that, too.

-json prints one line for each partition.

The Redis user needs what "duequeue acl -role operate -partitions" prints.
`

func partitionsCommand(e *env.Env) *cli.Command {
	return e.Command(env.Spec{
		Name: "partitions", Args: "QUEUE...", Short: "show what is in the partitions of queues, and which may go", Group: env.GroupLook, Long: partitionsHelp,
		Examples: []string{"duequeue partitions ORDERS"}, JSON: partitionLine{},
		Run: func(ctx context.Context, queues []string) error { return showPartitions(ctx, e, queues) },
	})
}

func showPartitions(ctx context.Context, e *env.Env, queues []string) error {
	if len(queues) == 0 {
		return env.Usagef("partitions: no queue given")
	}
	return e.EachQueue(ctx, queues, func(ctx context.Context, client *framework.Client, queue string) error {
		all, err := admin.Partitions(ctx, client, queue)
		if err != nil {
			return err
		}
		return printPartitions(e, queue, all)
	})
}

// partitionLine is a line of JSON.
type partitionLine struct {
	Queue    string `json:"queue"`
	Number   int    `json:"partition"`
	Name     string `json:"name"`
	Slot     int    `json:"slot"`
	Node     string `json:"node,omitempty"`
	Ready    int64  `json:"ready"`
	Delayed  int64  `json:"delayed"`
	InFlight int64  `json:"inFlight"`
	Dead     int64  `json:"dead"`
	Sessions int64  `json:"sessions"`
	State    string `json:"state"`
}

func printPartitions(e *env.Env, queue string, all []admin.Partition) error {
	var t screen.Table
	t.Header("", "NAME", "SLOT", "NODE", "READY", "DELAYED", "IN FLIGHT", "DEAD", "PROCESSES", "STATE")
	for _, p := range all {
		state := "used"
		switch {
		case !p.Used && p.Empty():
			state = "may go"
		case !p.Used:
			state = "drains"
		}
		if e.JSON {
			if err := e.Line(partitionLine{queue, p.Number, p.Name, p.Slot, p.Node, p.Ready, p.Delayed, p.InFlight, p.Dead, p.Sessions, state}); err != nil {
				return err
			}
			continue
		}
		row := []string{strconv.Itoa(p.Number), screen.Clean(p.Name), strconv.Itoa(p.Slot), p.Node}
		for _, n := range []int64{p.Ready, p.Delayed, p.InFlight, p.Dead, p.Sessions} {
			row = append(row, strconv.FormatInt(n, 10))
		}
		t.Row(append(row, state)...)
	}
	if e.JSON {
		return nil
	}
	fmt.Fprintf(e.Stdout, "%s: %s\n", screen.Name(queue), screen.Count(int64(len(all)), "partition"))
	return t.Write(e.Stdout)
}
