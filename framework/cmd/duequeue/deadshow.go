package main

import (
	"context"
	"encoding/hex"
	"fmt"
	"time"

	"github.com/duequeue/duequeue/codecs/sniff"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/handlers"
)

// each calls f with the entries that the flags choose, as many as limit; 0 is no limit.
func (d *deadRun) each(ctx context.Context, limit int64, f func(m framework.DeadMessage) error) error {
	n := int64(0)
	for m, err := range d.queue.Dead().All(ctx, d.filter) {
		if err == nil {
			err = f(m)
		}
		if err != nil {
			return err
		}
		if n++; n == limit {
			return nil
		}
	}
	return nil
}

func (d *deadRun) list(ctx context.Context) error {
	limit := d.limit
	if limit == 0 {
		limit = 100
	}
	shown := false
	err := d.each(ctx, limit, func(m framework.DeadMessage) error {
		shown = true
		if d.e.json {
			return d.json(lineOf(m))
		}
		return d.print(m)
	})
	if err == nil && !shown {
		return tellAbsent(ctx, d.e, d.client, d.name)
	}
	return err
}

// print writes an entry as one line for people.
func (d *deadRun) print(m framework.DeadMessage) error {
	again := ""
	if m.Redriven > 0 {
		again = fmt.Sprintf(", %d redriven", m.Redriven)
	}
	_, err := fmt.Fprintf(d.e.stdout, "%s  %s  %-11s  %d bytes, %d delivered, %d failed%s  %s\n",
		m.Entry, stamp(m.At), clean(m.Reason), len(m.Body), m.Delivered, m.Failed, again, clean(m.Detail))
	return err
}

// deadLine is an entry in JSON.
type deadLine struct {
	Queue     string      `json:"queue,omitempty"`
	Entry     string      `json:"entry"`
	Reason    string      `json:"reason"`
	Detail    string      `json:"detail,omitempty"`
	ID        string      `json:"id,omitempty"`
	Digest    string      `json:"digest,omitempty"`
	Offered   string      `json:"offered,omitempty"`
	Due       string      `json:"due,omitempty"`
	At        string      `json:"at,omitempty"`
	Bytes     int         `json:"bytes"`
	Delivered int         `json:"delivered"`
	Failed    int         `json:"failed"`
	Died      int         `json:"died"`
	Redriven  int         `json:"redriven,omitempty"`
	Deaths    []deathLine `json:"deaths,omitempty"`
	Body      string      `json:"body,omitempty"`    // hex
	Payload   []byte      `json:"payload,omitempty"` // base64, of an export
	Codecs    []deadSeen  `json:"codecs,omitempty"`
}

// deathLine is a former death in JSON.
type deathLine struct {
	At        string `json:"at,omitempty"`
	Redriven  string `json:"redriven,omitempty"`
	Entry     string `json:"entry"`
	Reason    string `json:"reason"`
	Detail    string `json:"detail,omitempty"`
	ID        string `json:"id,omitempty"`
	Offered   string `json:"offered,omitempty"`
	Due       string `json:"due,omitempty"`
	Delivered int    `json:"delivered"`
	Failed    int    `json:"failed"`
	Died      int    `json:"died"`
}

// deadSeen is a codec that may have written the body.
type deadSeen struct {
	Codec      string `json:"codec"`
	Confidence string `json:"confidence"`
	Why        string `json:"why"`
}

func lineOf(m framework.DeadMessage) deadLine {
	l := deadLine{
		Entry: m.Entry, Reason: m.Reason, Detail: m.Detail, ID: string(m.ID), Digest: m.Digest,
		Offered: stamp(m.Offered), Due: stamp(m.Due), At: stamp(m.At),
		Bytes: len(m.Body), Delivered: m.Delivered, Failed: m.Failed, Died: m.Died, Redriven: m.Redriven,
	}
	for _, h := range m.Deaths {
		l.Deaths = append(l.Deaths, deathOf(h))
	}
	return l
}

func deathOf(h handlers.Death) deathLine {
	return deathLine{
		At: stamp(h.At), Redriven: stamp(h.Redriven), Entry: h.Entry, Reason: h.Reason, Detail: h.Detail, ID: h.ID,
		Offered: stamp(h.Offered), Due: stamp(h.Due), Delivered: h.Delivered, Failed: h.Failed, Died: h.Died,
	}
}

// guessed adds the body and what it may be.
func (l deadLine) guessed(body []byte) deadLine {
	l.Body = hex.EncodeToString(body)
	for _, c := range sniff.Guess(body) {
		l.Codecs = append(l.Codecs, deadSeen{c.Codec, c.Confidence.String(), c.Why})
	}
	return l
}

func (d *deadRun) show(ctx context.Context, entry string) error {
	m, err := d.queue.Dead().Get(ctx, entry)
	if err != nil {
		return err
	}
	l := lineOf(m).guessed(m.Body)
	if d.e.json {
		return d.json(l)
	}
	w := d.e.stdout
	fmt.Fprintf(w, "entry      %s\nreason     %s\ndetail     %s\n", l.Entry, clean(l.Reason), clean(l.Detail))
	fmt.Fprintf(w, "given up   %s\ndue        %s\noffered    %s\n", l.At, orUnknown(l.Due), orUnknown(l.Offered))
	fmt.Fprintf(w, "id         %s\ndigest     %s\n", orUnknown(clean(l.ID)), orUnknown(clean(l.Digest)))
	fmt.Fprintf(w, "delivered  %d\nfailed     %d\ndied       %d\n", l.Delivered, l.Failed, l.Died)
	if l.Redriven > 0 {
		fmt.Fprintf(w, "redriven   %d\n", l.Redriven)
	}
	for _, h := range l.Deaths {
		fmt.Fprintf(w, "died       %s  %s, %d delivered, %d failed, put back %s  %s\n",
			orUnknown(h.At), clean(h.Reason), h.Delivered, h.Failed, orUnknown(h.Redriven), clean(h.Detail))
	}
	for _, c := range l.Codecs {
		fmt.Fprintf(w, "codec      %s (%s): %s\n", c.Codec, c.Confidence, clean(c.Why))
	}
	_, err = fmt.Fprintf(w, "body       %d bytes\n%s", l.Bytes, hex.Dump(m.Body))
	return err
}

// stamp formats a time of Redis, "" where it is unknown.
func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05.000Z07:00")
}

func orUnknown(s string) string {
	if s == "" {
		return "unknown"
	}
	return s
}
