package web

import (
	"context"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/internal/access"
	"github.com/duequeue/duequeue/framework/internal/rediserr"
)

// forecast says how many messages fall due when.
type forecast struct {
	From time.Time // by the clock of Redis
	Step time.Duration
	// Due counts the messages that fall due in each step: the first begins at From.
	Due []int64
	// Later counts those that fall due after the last step.
	Later int64
}

// forecastOf counts the pending messages of a queue by when they fall due, in all its partitions, which
// are given by their names. It costs Redis about a microsecond for each step, for any number of
// messages. Retries are among them, and what is overdue is not.
func forecastOf(ctx context.Context, c *framework.Client, partitions []string, step time.Duration, steps int) (forecast, error) {
	out := forecast{Step: step}
	client := access.Of(c)
	var err error
	if out.From, err = client.Redis.Time(ctx).Result(); err != nil {
		return out, rediserr.Classify("TIME", err)
	}
	out.Due = make([]int64, steps)
	from, width := out.From.UnixMilli(), step.Milliseconds()
	for _, name := range partitions {
		k, err := client.Keys(name)
		if err != nil {
			return out, err
		}
		pipe := client.Redis.Pipeline()
		counts := make([]*redis.IntCmd, steps+1)
		for i := range counts {
			end := "+inf"
			if i < steps {
				end = strconv.FormatInt(from+int64(i+1)*width, 10)
			}
			counts[i] = pipe.ZCount(ctx, k.Timeout, "("+strconv.FormatInt(from+int64(i)*width, 10), end)
		}
		if _, err := pipe.Exec(ctx); err != nil {
			return out, rediserr.Classify("ZCOUNT", err)
		}
		for i := range out.Due {
			out.Due[i] += counts[i].Val()
		}
		out.Later += counts[steps].Val()
	}
	return out, nil
}
