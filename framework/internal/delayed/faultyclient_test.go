package delayed

import (
	"context"
	"io"
	"net"
	"sync"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/framework/internal/script"
)

// lossy makes a client lose replies: the command is executed and its answer
// thrown away, or it is not sent at all.
type lossy struct {
	mu    sync.Mutex
	plans []loss // one per script call; the last one does not lose
	calls int
	seen  [][]any // the args of each script call
	after func(n int)
}

type loss int

const (
	noLoss    loss = iota
	lostReply      // executed, then the connection broke
	lostCall       // the connection broke before anything was sent
	dialLoss       // no connection could be made
)

func (l *lossy) DialHook(next redis.DialHook) redis.DialHook { return next }

func (l *lossy) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

func (l *lossy) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		if name := cmd.Name(); name != "evalsha" {
			return next(ctx, cmd)
		}
		l.mu.Lock()
		plan := noLoss
		if l.calls < len(l.plans) {
			plan = l.plans[l.calls]
		}
		l.calls++
		n := l.calls
		l.seen = append(l.seen, cmd.Args())
		l.mu.Unlock()
		var err error
		switch plan {
		case lostReply:
			if err = next(ctx, cmd); err == nil {
				err = io.EOF
			}
		case lostCall:
			err = io.ErrUnexpectedEOF
		case dialLoss:
			err = &net.OpError{Op: "dial", Err: io.EOF}
		default:
			err = next(ctx, cmd)
		}
		if l.after != nil {
			l.after(n)
		}
		cmd.SetErr(err)
		return err
	}
}

// losing returns a client of s that loses what the plans say.
func losing(t *testing.T, s queuetest.Server, plans ...loss) (*redis.Client, *lossy) {
	t.Helper()
	l := &lossy{plans: plans}
	return hooked(t, s, l), l
}

// losingPipes is [losing] for pipelines: a plan holds for a whole one.
func losingPipes(t *testing.T, s queuetest.Server, plans ...loss) (*redis.Client, *lossy) {
	t.Helper()
	l := &lossy{plans: plans}
	return hooked(t, s, lossyPipes{l}), l
}

// hooked returns a client of s, which knows the scripts of offers, so that each try is one
// call.
func hooked(t *testing.T, s queuetest.Server, hook redis.Hook) *redis.Client {
	t.Helper()
	for _, sc := range []*script.Script{offerScript, offerOnceScript, offerAllScript} {
		if err := s.Client.ScriptLoad(t.Context(), sc.Source()).Err(); err != nil {
			t.Fatal(err)
		}
	}
	rdb := queuetest.Connect(t, s.Client.Options().Addr)
	rdb.AddHook(hook)
	return rdb
}

// lossyPipes loses whole pipelines, as a connection that breaks does.
type lossyPipes struct{ *lossy }

func (l lossyPipes) ProcessHook(next redis.ProcessHook) redis.ProcessHook { return next }

func (l lossyPipes) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		l.mu.Lock()
		plan := noLoss
		if l.calls < len(l.plans) {
			plan = l.plans[l.calls]
		}
		l.calls++
		n := l.calls
		l.mu.Unlock()
		var err error
		switch plan {
		case lostReply:
			if err = next(ctx, cmds); err == nil {
				err = io.EOF
			}
		case lostCall:
			err = io.ErrUnexpectedEOF
		case dialLoss:
			err = &net.OpError{Op: "dial", Err: io.EOF}
		default:
			err = next(ctx, cmds)
		}
		if l.after != nil {
			l.after(n)
		}
		if plan != noLoss {
			for _, cmd := range cmds {
				cmd.SetErr(err)
			}
		}
		return err
	}
}
