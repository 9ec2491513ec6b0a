package payloads

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/java/classfile"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/compat"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/screen"
	"github.com/duequeue/duequeue/framework/internal/decoding"
	"github.com/duequeue/duequeue/handlers"
)

// heldClass is a class and codec to judge, and the messages of both.
type heldClass struct {
	class, codec string
	queues       []heldLine
}

func (h heldClass) total() (sum placeCounts) {
	for _, q := range h.queues {
		sum.Pending += q.Pending
		sum.Ready += q.Ready
		sum.InFlight += q.InFlight
		sum.Dead += q.Dead
	}
	return sum
}

// heldLine is how many messages of a class a queue has, in JSON.
type heldLine struct {
	Queue string `json:"queue"`
	placeCounts
}

// placeCounts are messages by where they are.
type placeCounts struct {
	Pending  int64 `json:"pending"`
	Ready    int64 `json:"ready"`
	InFlight int64 `json:"inFlight"`
	Dead     int64 `json:"dead"`
}

func (p placeCounts) cells() []string {
	var cells []string
	for _, n := range []int64{p.Pending, p.Ready, p.InFlight, p.Dead} {
		cells = append(cells, strconv.FormatInt(n, 10))
	}
	return cells
}

// count reads the messages of the queues.
func (c *comparing) count(ctx context.Context, old *classfile.Source) (all []heldClass, err error) {
	counting := &classCounter{comparing: c, old: old}
	if len(c.codecs) == 1 {
		if counting.reader, err = decoding.New(decoding.Settings{Codec: c.codecs[0], Classes: old}); err != nil {
			return nil, err
		}
	} else if counting.reader, err = decoding.New(decoding.Settings{Classes: old}); err != nil {
		return nil, err
	}
	ctx, client, end, err := c.e.Connect(ctx)
	if err != nil {
		return nil, err
	}
	defer end(&err)
	if err = c.e.Exists(ctx, client, c.queues...); err != nil {
		return nil, err
	}
	for _, queue := range c.queues {
		if err = counting.queue(ctx, client, queue); err != nil {
			return nil, err
		}
	}
	return counting.all, nil
}

// classCounter counts messages by class and codec.
type classCounter struct {
	*comparing
	old    *classfile.Source
	reader *decoding.Reader
	all    []heldClass

	name    string // of the queue
	unread  int64
	foreign map[string]int64 // messages of other codecs, and of classes that the old program lacks
}

const compatPage = 500

func (c *classCounter) queue(ctx context.Context, client *framework.Client, name string) error {
	c.name, c.unread, c.foreign = name, 0, map[string]int64{}
	q, err := admin.Queue(ctx, client, name)
	if err != nil {
		return err
	}
	steps := []func() error{
		func() error {
			return c.pages("pending", func(from, n int64) ([][]byte, error) {
				found, err := q.Pending().Page(ctx, from, n)
				return bodiesOf(found, func(m framework.PendingMessage[[]byte]) []byte { return m.Body }), err
			}, func(p *placeCounts) { p.Pending++ })
		},
		func() error {
			return c.pages("ready", func(from, n int64) ([][]byte, error) {
				found, err := q.Ready().Page(ctx, from, n)
				return bodiesOf(found, func(m framework.ReadyMessage[[]byte]) []byte { return m.Body }), err
			}, func(p *placeCounts) { p.Ready++ })
		},
		func() error { return c.inFlight(ctx, client) },
		func() error { return c.dead(ctx, q) },
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	c.report()
	return nil
}

func bodiesOf[T any](all []T, body func(T) []byte) [][]byte {
	out := make([][]byte, len(all))
	for i, m := range all {
		out[i] = body(m)
	}
	return out
}

// pages reads a list page by page.
func (c *classCounter) pages(what string, page func(from, n int64) ([][]byte, error), add func(*placeCounts)) error {
	for from := int64(0); ; {
		if from >= c.limit {
			c.e.Warn("%s: only the first %d %s messages were read: see -limit", screen.Name(c.name), c.limit, what)
			return nil
		}
		bodies, err := page(from, min(compatPage, c.limit-from))
		if err != nil || len(bodies) == 0 {
			return err
		}
		for _, body := range bodies {
			c.add(body, add)
		}
		from += int64(len(bodies))
	}
}

// inFlight counts what Go processes have in hand. What Java has taken is gone from Redis.
func (c *classCounter) inFlight(ctx context.Context, client *framework.Client) error {
	held, err := admin.HeldPayloads(ctx, client, c.name, compatPage, 1<<20)
	for _, p := range held {
		c.add(p.Body, func(p *placeCounts) { p.InFlight++ })
	}
	return err
}

func (c *classCounter) dead(ctx context.Context, q *framework.Queue[[]byte]) error {
	after := ""
	for n := int64(0); n < c.limit; {
		found, err := q.Dead().Page(ctx, after, compatPage)
		if err != nil || len(found) == 0 {
			return err
		}
		for _, m := range found {
			if m.Reason != handlers.ReasonMalformed { // which is an element, and no payload
				c.add(m.Body, func(p *placeCounts) { p.Dead++ })
			}
			after = m.Entry
		}
		n += int64(len(found))
	}
	return nil
}

// add counts a message.
func (c *classCounter) add(body []byte, count func(*placeCounts)) {
	codec, class := c.kind(body)
	switch {
	case codec == "":
		c.unread++
		return
	case !slices.Contains(compat.Codecs(), codec) || !c.old.Has(class):
		c.foreign[strings.TrimPrefix(class+" in "+codec, " in ")]++
		return
	case len(c.classes) > 0 && !slices.Contains(c.classes, class) || len(c.codecs) > 0 && !slices.Contains(c.codecs, codec):
		return
	}
	at := slices.IndexFunc(c.all, func(h heldClass) bool { return h.class == class && h.codec == codec })
	if at < 0 {
		at = len(c.all)
		c.all = append(c.all, heldClass{class: class, codec: codec})
	}
	h := &c.all[at]
	if n := len(h.queues); n == 0 || h.queues[n-1].Queue != c.name {
		h.queues = append(h.queues, heldLine{Queue: c.name})
	}
	count(&h.queues[len(h.queues)-1].placeCounts)
}

// kind tells the codec and the class of a payload. Of typedjsonjackson the command line tells both.
func (c *classCounter) kind(body []byte) (codec, class string) {
	p := c.reader.Read(body)
	if p.Codec == nil {
		return "", ""
	}
	codec = compat.Inner(p.Codec.Name())
	if codec == "typedjsonjackson" && len(c.classes) == 1 {
		return codec, c.classes[0]
	}
	if class = p.NeedsClasses(); class != "" {
		return codec, class
	}
	if p.Err != nil {
		return "", ""
	}
	if o, ok := p.Value.(*java.Object); ok {
		return codec, o.Class
	}
	if m, ok := p.Value.(*java.Map); ok {
		return codec, m.Class
	}
	return codec, java.ClassOf(p.Value)
}

// report says what was not judged.
func (c *classCounter) report() {
	if c.unread > 0 {
		c.e.Warn("%s: %s cannot be read with the old classes", screen.Name(c.name), screen.Count(c.unread, "message"))
	}
	names := make([]string, 0, len(c.foreign))
	for name := range c.foreign {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		c.e.Warn("%s: %s not judged: %s", screen.Name(c.name), screen.Count(c.foreign[name], "message"), screen.Clean(name))
	}
}
