package pace

import (
	"context"
	"iter"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/rediserr"
)

// scanCount is how many keys one step looks at: about half a millisecond of Redis.
const scanCount = 1000

// Keys walks the keys of one server that match a pattern, and rests between its steps. A key may
// come twice. It ends with an error.
func (p *Pace) Keys(ctx context.Context, node redis.Cmdable, pattern string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for cursor := uint64(0); ; {
			p.Begin()
			keys, next, err := node.Scan(ctx, cursor, pattern, scanCount).Result()
			if err != nil {
				yield("", rediserr.Classify("SCAN", err))
				return
			}
			for _, key := range keys {
				if !yield(key, nil) {
					return
				}
			}
			if cursor = next; cursor == 0 {
				return
			}
			if err := p.Rest(ctx); err != nil {
				yield("", err)
				return
			}
		}
	}
}
