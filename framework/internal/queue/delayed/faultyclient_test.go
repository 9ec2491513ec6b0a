package delayed

import (
	"context"
	"io"
	"net"
	"sync"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// lossy makes a client lose replies: the command is executed and its answer
// thrown away, or it is not sent at all.
type lossy struct {
	mu    sync.Mutex
	plans []loss // one per script call or pipeline; then nothing is lost
	calls int
	seen  [][]any // the args of each script call, of a pipeline its first one's
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

func (l *lossy) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		if cmd.Name() != "evalsha" {
			return next(ctx, cmd)
		}
		return l.lose([]redis.Cmder{cmd}, func() error { return next(ctx, cmd) })
	}
}

func (l *lossy) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		return l.lose(cmds, func() error { return next(ctx, cmds) })
	}
}

// lose does what the next plan says.
func (l *lossy) lose(cmds []redis.Cmder, send func() error) error {
	l.mu.Lock()
	plan := noLoss
	if l.calls < len(l.plans) {
		plan = l.plans[l.calls]
	}
	l.calls++
	n := l.calls
	l.seen = append(l.seen, cmds[0].Args())
	l.mu.Unlock()
	var err error
	switch plan {
	case lostReply:
		_ = send() // its answer, too, was lost
		err = io.EOF
	case lostCall:
		err = io.ErrUnexpectedEOF
	case dialLoss:
		err = &net.OpError{Op: "dial", Err: io.EOF}
	default:
		err = send()
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

// losing returns a further client of the same server that loses what the plans say. It knows the script of
// offers, so that each try is one call.
func losing(t *testing.T, rdb *redis.Client, plans ...loss) (*redis.Client, *lossy) {
	t.Helper()
	if err := rdb.ScriptLoad(t.Context(), offerScript.Source()).Err(); err != nil {
		t.Fatal(err)
	}
	l := &lossy{plans: plans}
	rdb = lab.Connect(t, rdb.Options().Addr)
	rdb.AddHook(l)
	return rdb, l
}

// newItem returns an offer that is ready to be sent.
func newItem(k wire.Keys, args OfferArgs) (*item, error) {
	i := &item{}
	if err := i.offer.prepare(&k, args); err != nil {
		return nil, err
	}
	i.offer.draw()
	return i, nil
}

// try sends it once.
func (i *item) try(ctx context.Context, rdb redis.UniversalClient) (OfferResult, error) {
	i.settled, i.result, i.err = false, OfferResult{}, nil
	newTurn(i.offer.keys, []*item{i}).send(ctx, rdb, nil)
	return i.result, i.err
}
