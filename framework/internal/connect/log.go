package connect

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/errtext"
	"github.com/duequeue/duequeue/framework/internal/rediserr"
)

// redisLog is go-redis's own logger, of which a process has one: it hands lines to the
// logger of the client that was opened last, or to slog.Default where none is open.
type redisLog struct {
	install sync.Once
	mu      sync.Mutex
	open    []*slog.Logger
	running atomic.Int32 // calls under way
}

var processLog redisLog

// Log hands what go-redis logs to log until release is called.
func Log(log *slog.Logger) (release func()) { return processLog.use(log) }

// mostRedisLog is how many lines may be on their way at once: a handler that writes to a
// Redis itself, by go-redis, would otherwise call itself without an end.
const mostRedisLog = 16

// use hands lines to log until release is called. The first call makes this go-redis's
// logger; one that the program sets afterwards stays.
func (l *redisLog) use(log *slog.Logger) (release func()) {
	l.install.Do(func() { redis.SetLogger(l) })
	mine := *log // a copy: several clients may share a logger
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open = append(l.open, &mine)
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.open = slices.DeleteFunc(l.open, func(o *slog.Logger) bool { return o == &mine })
	}
}

// logger returns the one in use.
func (l *redisLog) logger() *slog.Logger {
	l.mu.Lock()
	defer l.mu.Unlock()
	if n := len(l.open); n > 0 {
		return l.open[n-1]
	}
	return errtext.Guard(nil)
}

// Printf logs one line of go-redis, without the passwords that answers may repeat. What
// follows from a server that does not answer is DEBUG: our own lines tell of that.
func (l *redisLog) Printf(ctx context.Context, format string, v ...any) {
	defer l.running.Add(-1)
	if l.running.Add(1) > mostRedisLog {
		return
	}
	said := rediserr.CutAnswers(fmt.Sprintf(format, v...))
	log := l.logger()
	switch {
	case strings.HasPrefix(format, "sentinel: new master"):
		log.InfoContext(ctx, "the Sentinels have named the master", "said", said)
	case slices.ContainsFunc(followsFromSilence, func(begins string) bool { return strings.HasPrefix(format, begins) }):
		log.DebugContext(ctx, "go-redis has logged a line", "said", said)
	default:
		log.WarnContext(ctx, "go-redis has logged a line", "said", said)
	}
}

// followsFromSilence are the beginnings of what go-redis writes at each command while a
// server does not answer, and of what it finds out about Sentinels and Clusters.
var followsFromSilence = []string{
	"sentinel: ", "push: ", "redis: connection pool: ", "redis: all nodes ", "redis: pings ", "redis: discarding ",
	"redis: failed to close ", "cluster: ", "getting command info", "pubsub: ",
}
