package main

import (
	"context"

	"github.com/urfave/cli/v3"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/env"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/partitiontable"
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
		Examples: []string{"duequeue partitions ORDERS"}, JSON: partitiontable.Line{},
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
		return partitiontable.Write(e.Stdout, queue, all, e.JSON, screen.Clean)
	})
}
