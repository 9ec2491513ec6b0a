package admin

import (
	"context"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/internal/access"
	"github.com/duequeue/duequeue/framework/internal/queue/lease"
)

// heldBytes is about how much [HeldPayloads] reads.
const heldBytes = 1 << 20

// HeldPayload is the payload of a message in flight.
type HeldPayload struct {
	Body  []byte // of a large one perhaps the beginning alone
	Bytes int    // of all of it
}

// HeldPayloads returns payloads of messages that Go processes have in hand, by ID, and at most so
// many bytes of each: of the processes whose lease ends first, until there are most of them or a
// MiB. A message without an ID, and one that came just now, is not among them. Errors are those of
// [Diagnose].
func HeldPayloads(ctx context.Context, c *framework.Client, queue string, most, bytesOfEach int) (map[string]HeldPayload, error) {
	client := access.Of(c)
	partitions, _, err := partsOf(ctx, client, queue)
	if err != nil {
		return nil, err
	}
	out, bytes := map[string]HeldPayload{}, 0
	for _, k := range partitions {
		fetches, err := lease.Fetches(ctx, client.Redis, k)
		if err != nil {
			return out, err
		}
		for _, f := range fetches {
			if len(out) >= most || bytes >= heldBytes {
				return out, nil
			}
			if f.Staged() {
				continue
			}
			held, err := f.Messages(ctx, client.Redis, bytesOfEach)
			if err != nil {
				return out, err
			}
			for _, h := range held {
				if h.ID.Element.IsZero() {
					continue
				}
				h.ID.Partition = k.Partition
				out[h.ID.String()] = HeldPayload{h.Body, h.Bytes}
				bytes += len(h.Body)
			}
		}
	}
	return out, nil
}
