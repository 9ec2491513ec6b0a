package framework

import (
	"time"

	"github.com/duequeue/duequeue/framework/internal/delayed"
)

// OfferOption adds to [Queue.Offer] and [Queue.OfferAt]: [Key] and [AwaitReplicas] make one.
type OfferOption interface {
	applyOffer(args *delayed.OfferArgs)
}

// ReplicaOption is what [AwaitReplicas] returns: an option of [Queue.Offer],
// [Queue.OfferAt] and [Queue.OfferAll].
type ReplicaOption interface {
	OfferOption
	BulkOption
}

type awaitReplicas delayed.Await

func (a awaitReplicas) applyOffer(args *delayed.OfferArgs) { args.Await = delayed.Await(a) }
func (a awaitReplicas) applyBulk(o *bulkOptions)           { o.await = delayed.Await(a) }

// AwaitReplicas makes an offer wait until n replicas have it (WAIT of Redis), at most
// for the timeout, which is rounded to whole milliseconds and defaults to one second.
// Where fewer have it then, the error is a [*fault.ReplicationError] and the [Receipt] holds
// all the same. Zero replicas or fewer wait for nothing.
//
// It makes a loss by failover unlikely, not impossible: Sentinel or a Cluster may choose
// another replica. [Queue.OfferAll] waits once for each two hundred messages.
func AwaitReplicas(n int, timeout time.Duration) ReplicaOption {
	return awaitReplicas{Replicas: n, Timeout: timeout}
}
