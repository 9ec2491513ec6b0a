// Package planted gives messages a past in tests, without living through it.
package planted

import (
	"context"
	"crypto/sha1"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/redisapi"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// ID returns the element id that Record gives a payload.
func ID(body string) wire.ElementID {
	sum := sha1.Sum([]byte(body))
	id := wire.ElementID{Kind: wire.KindFirst, Raw: [8]byte(sum[:])}
	id.Raw[0] = 7
	return id
}

// Record gives a payload that waits on the ready list counters, "delivered,failed,died", as
// those of a retry that Java has transferred; see attempts.lua.
func Record(ctx context.Context, rdb redisapi.Client, k wire.Keys, body, counts string) error {
	var d, f, x int
	if _, err := fmt.Sscanf(counts, "%d,%d,%d", &d, &f, &x); err != nil {
		return err
	}
	digest, id := fmt.Sprintf("%x", sha1.Sum([]byte(body))), ID(body).Raw
	value := fmt.Sprintf("%s;%016d%016du%016d%s----------------%s0000", counts, time.Now().Add(time.Hour).UnixMilli(), 0, 1, id[:], digest)
	if err := rdb.HSet(ctx, k.Attempts, "u"+string(id[:]), value).Err(); err != nil {
		return err
	}
	member := digest + string([]byte{byte(255 - min(f, 255))}) + "u" + string(id[:])
	return rdb.ZAdd(ctx, k.IDs, redis.Z{Member: member}).Err()
}
