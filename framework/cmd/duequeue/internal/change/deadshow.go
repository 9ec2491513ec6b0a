package change

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/duequeue/duequeue/codecs/sniff"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/screen"
	"github.com/duequeue/duequeue/framework/internal/deadletter"
)

func (d *deadRun) list(ctx context.Context, oldest bool) error {
	all := d.queue.Dead().Newest
	if oldest {
		all = d.queue.Dead().All
	}
	t := d.table()
	n := int64(0)
	for m, err := range all(ctx, d.filter) {
		if err != nil {
			return errors.Join(t.Write(d.e.Stdout), err)
		}
		if n++; d.e.JSON {
			err = d.e.Line(deadletter.LineOf(m))
		} else {
			d.row(t, m)
		}
		if err != nil {
			return err
		}
		if n == d.limit {
			d.e.Warn("there may be more than %d: see -limit and -until", n)
			break
		}
	}
	if n == 0 {
		d.e.Warn("%s", d.none())
		return nil
	}
	if d.e.JSON {
		return nil
	}
	return t.Write(d.e.Stdout)
}

// none says that there is no entry.
func (d *deadRun) none() string {
	if name := d.chosen(); name != "" && name != "limit" {
		return fmt.Sprintf("no dead message of queue %s is chosen by -%s and the other filters", screen.Name(d.name), name)
	}
	return fmt.Sprintf("queue %s has no dead messages", screen.Name(d.name))
}

func (d *deadRun) table() *screen.Table {
	t := &screen.Table{}
	t.Header("ENTRY", "DIED ("+d.e.Clock().Zone()+")", "AGE", "REASON", "FAILED", "REDRIVEN", "ID", "DETAIL", "PAYLOAD")
	return t
}

// row shows an entry to people.
func (d *deadRun) row(t *screen.Table, m framework.DeadMessage) {
	t.Row(m.Entry, d.e.Clock().At(m.At), screen.Age(m.At, time.Now()), screen.Red.On(screen.Clean(m.Reason)), strconv.Itoa(m.Failed), strconv.Itoa(m.Redriven),
		screen.Clean(cmp.Or(string(m.ID), "-")), screen.Cut(screen.Clean(m.Detail), 60), d.payloads.Summary(m.Body))
}

// deadPreviewed bounds how many entries a dry run shows.
const deadPreviewed = 100

// preview keeps an entry that a dry run chose.
func (c *deadChange) preview(m framework.DeadMessage) {
	if c.wouldBe == nil {
		c.wouldBe = c.table()
	}
	if c.wouldBeMore++; c.wouldBeMore <= deadPreviewed && !c.e.JSON {
		c.row(c.wouldBe, m)
	}
}

func (c *deadChange) showPreview() {
	if c.wouldBe == nil || c.e.JSON {
		return
	}
	_ = c.wouldBe.Write(c.e.Stdout)
	if more := c.wouldBeMore - deadPreviewed; more > 0 {
		fmt.Fprintf(c.e.Stdout, "and %d more\n", more)
	}
}

// guessed adds the body of a letter to its line, and what it may be.
func guessed(l deadletter.Line, body []byte) deadletter.Line {
	l.Body = hex.EncodeToString(body)
	for _, c := range sniff.Guess(body) {
		l.Codecs = append(l.Codecs, deadletter.Seen{Codec: c.Codec, Confidence: c.Confidence.String(), Why: c.Why})
	}
	return l
}

func (d *deadRun) show(ctx context.Context, entry string) error {
	m, err := d.queue.Dead().Get(ctx, entry)
	if err != nil {
		return err
	}
	l := guessed(deadletter.LineOf(m), m.Body)
	if d.e.JSON {
		return d.e.Line(l)
	}
	w := d.e.Stdout
	fmt.Fprintf(w, "entry      %s\nreason     %s\ndetail     %s\n", l.Entry, screen.Clean(l.Reason), screen.Clean(l.Detail))
	fmt.Fprintf(w, "given up   %s\ndue        %s\noffered    %s\n", l.At, orUnknown(l.Due), orUnknown(l.Offered))
	fmt.Fprintf(w, "id         %s\ndigest     %s\n", orUnknown(screen.Clean(l.ID)), orUnknown(screen.Clean(l.Digest)))
	fmt.Fprintf(w, "delivered  %d\nfailed     %d\ndied       %d\n", l.Delivered, l.Failed, l.Died)
	if l.Hung > 0 {
		fmt.Fprintf(w, "hung       %d\n", l.Hung)
	}
	if l.Redriven > 0 {
		fmt.Fprintf(w, "redriven   %d\n", l.Redriven)
	}
	for _, h := range l.Deaths {
		fmt.Fprintf(w, "died       %s  %s, %d delivered, %d failed, put back %s  %s\n",
			orUnknown(h.At), screen.Clean(h.Reason), h.Delivered, h.Failed, orUnknown(h.Redriven), screen.Clean(h.Detail))
	}
	for _, c := range l.Codecs {
		fmt.Fprintf(w, "codec      %s (%s): %s\n", c.Codec, c.Confidence, screen.Clean(c.Why))
	}
	return d.payloads.Print(w, m.Body)
}

func orUnknown(s string) string {
	if s == "" {
		return "unknown"
	}
	return s
}
