package admin

import (
	"context"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/internal/access"
)

// Queue binds a queue by its name alone, with all partitions that processes have noted in
// Redis. Its payloads are the bytes in Redis, whatever codec wrote them. It is for
// inspection and operators' changes: what you offer through it must be what the codec of
// the queue would write. Errors are those of [Partitions].
func Queue(ctx context.Context, c *framework.Client, name string) (*framework.Queue[[]byte], error) {
	client := access.Of(c)
	_, noted, err := partsOf(ctx, client, name)
	if err != nil {
		return nil, err
	}
	q := client.Bytes(name, noted.N, noted.Other)
	return framework.Bind(c, q), q.Err()
}
