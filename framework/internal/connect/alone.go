package connect

import (
	"context"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"github.com/duequeue/duequeue/framework/internal/redisapi"
)

// Alone makes a client of one connection, with the options of node, the client of a server, and
// without any repetition: a repeated take needs the same nonce. It dials nothing yet. Once it
// has, it calls known with Redis's number of the connection, -1 where Redis does not tell. silent
// is the same client with another read timeout, which longer derives from that of the first.
// Closing alone closes both.
func Alone(node redisapi.Client, known func(id int64), longer func(timeout time.Duration) time.Duration) (alone, silent redisapi.Client) {
	opt := *node.(*redis.Client).Options()
	opt.MaxRetries = -1
	opt.PoolSize, opt.MinIdleConns, opt.MaxIdleConns, opt.MaxActiveConns = 1, 0, 0, 0
	if opt.ReadTimeout <= 0 {
		opt.ReadTimeout = 3 * time.Second
	}
	// No second pool for pipelines: a wait is one, and would go over another connection
	// than the takes, and an interruption to the wrong one.
	opt.PipelinePoolSize = -1
	opt.WriteBufferSize = min(opt.WriteBufferSize, 8<<10) // for takes with their acks; a process may have very many queues
	opt.PushNotificationProcessor = nil
	opt.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	before := opt.OnConnect
	opt.OnConnect = func(ctx context.Context, cn *redis.Conn) error {
		if before != nil {
			if err := before(ctx, cn); err != nil {
				return err
			}
		}
		id, err := cn.ClientID(ctx).Result()
		if err != nil {
			var refused redis.Error
			if !errors.As(err, &refused) {
				return err
			}
			id = -1
		}
		known(id)
		return nil
	}
	one := NewClient(&opt)
	return one, Equip(one.WithTimeout(longer(opt.ReadTimeout))) // it has none of the other's hooks
}
