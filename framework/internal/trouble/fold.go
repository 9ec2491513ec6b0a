package trouble

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"
)

const (
	// foldWindow is for how long lines that say the same of other queues are gathered.
	foldWindow = time.Second
	// foldNames is how many of them the line for all names.
	foldNames = 10
)

// Fold returns a logger for a process with very many queues: of the lines with these
// messages, which befall all queues at once, the first is written and one more for all
// others that follow within a second, with their number. All other lines pass as they are.
// Queues are told apart by the attribute "queue".
func Fold(log *slog.Logger, messages ...string) *slog.Logger {
	return slog.New(&folded{next: log.Handler(), lines: &foldedLines{base: log.Handler(), messages: messages, open: map[foldedLine]*gathered{}}})
}

// Unfold ends the gathering of a logger of [Fold] or of what was made of it: what was kept is
// written before it returns, and later lines pass as they are.
func Unfold(log *slog.Logger) {
	h, ok := log.Handler().(*folded)
	if !ok {
		return
	}
	f := h.lines
	f.mu.Lock()
	f.ended = true
	var kept []foldedLine
	for line := range f.open {
		kept = append(kept, line)
	}
	f.mu.Unlock()
	for _, line := range kept {
		f.tell(line)
	}
	f.writing.Lock() // what a timer has begun to write is written
	defer f.writing.Unlock()
}

// folded is the handler of such a logger.
type folded struct {
	next  slog.Handler
	lines *foldedLines
	queue string
}

// foldedLine is what lines that say the same have in common.
type foldedLine struct {
	level   slog.Level
	message string
}

// foldedLines are those of one logger and all that were made of it.
type foldedLines struct {
	base     slog.Handler
	messages []string
	writing  sync.Mutex // held while a line is written
	mu       sync.Mutex
	open     map[foldedLine]*gathered
	ended    bool
}

// gathered are the queues of which a line was not written.
type gathered struct {
	queues int
	first  []string
	err    slog.Attr // of the last one
}

func (h *folded) Enabled(ctx context.Context, l slog.Level) bool { return h.next.Enabled(ctx, l) }

func (h *folded) WithAttrs(attrs []slog.Attr) slog.Handler {
	c := *h
	c.next = h.next.WithAttrs(attrs)
	for _, a := range attrs {
		c.note(a)
	}
	return &c
}

func (h *folded) WithGroup(name string) slog.Handler {
	c := *h
	c.next = h.next.WithGroup(name)
	return &c
}

func (h *folded) note(a slog.Attr) {
	if a.Key == "queue" {
		h.queue = a.Value.String()
	}
}

// Handle writes a line, or keeps it for the one that stands for many.
func (h *folded) Handle(ctx context.Context, r slog.Record) error {
	if !slices.Contains(h.lines.messages, r.Message) {
		return h.next.Handle(ctx, r)
	}
	line, err := *h, slog.Attr{}
	r.Attrs(func(a slog.Attr) bool {
		line.note(a)
		if a.Key == "err" {
			err = a
		}
		return true
	})
	if h.lines.keep(foldedLine{r.Level, r.Message}, line.queue, err) { //nolint:contextcheck // the line for many is of no one call
		return nil
	}
	return h.next.Handle(ctx, r)
}

// keep reports whether the line is kept, since another queue has said the same just now.
func (f *foldedLines) keep(line foldedLine, queue string, err slog.Attr) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ended {
		return false
	}
	g := f.open[line]
	if g == nil {
		f.open[line] = &gathered{}
		time.AfterFunc(foldWindow, func() { f.tell(line) })
		return false
	}
	g.queues++
	g.err = err
	if len(g.first) < foldNames && !slices.Contains(g.first, queue) {
		g.first = append(g.first, queue)
	}
	return true
}

// tell writes the line for all that was kept.
func (f *foldedLines) tell(line foldedLine) {
	f.writing.Lock()
	defer f.writing.Unlock()
	f.mu.Lock()
	g := f.open[line]
	delete(f.open, line)
	f.mu.Unlock()
	if g == nil || g.queues == 0 {
		return
	}
	all := slog.NewRecord(time.Now(), line.level, line.message+" (the same of other queues)", 0)
	all.AddAttrs(slog.Int("queues", g.queues), slog.Any("first", g.first))
	if g.err.Key != "" {
		all.AddAttrs(g.err)
	}
	_ = f.base.Handle(context.Background(), all) //nolint:forbidigo // of many calls; a line that is not written is told nobody
}
