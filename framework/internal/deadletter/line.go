// Package deadletter writes dead letters as lines of JSON.
package deadletter

import (
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/internal/words"
	"github.com/duequeue/duequeue/handlers"
)

// Line is an entry in JSON, as "duequeue dead" prints it and the console exports it.
type Line struct {
	Queue     string  `json:"queue,omitempty"`
	Entry     string  `json:"entry"`
	Reason    string  `json:"reason"`
	Detail    string  `json:"detail,omitempty"`
	ID        string  `json:"id,omitempty"`
	Digest    string  `json:"digest,omitempty"`
	Offered   string  `json:"offered,omitempty"`
	Due       string  `json:"due,omitempty"`
	At        string  `json:"at,omitempty"`
	Bytes     int     `json:"bytes"`
	Delivered int     `json:"delivered"`
	Failed    int     `json:"failed"`
	Died      int     `json:"died"`
	Hung      int     `json:"hung,omitempty"`
	Redriven  int     `json:"redriven,omitempty"`
	Deaths    []Death `json:"deaths,omitempty"`
	Body      string  `json:"body,omitempty"`    // hex
	Payload   []byte  `json:"payload,omitempty"` // base64, of an export
	Codecs    []Seen  `json:"codecs,omitempty"`
}

// Death is a former death in JSON.
type Death struct {
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

// Seen is a codec that may have written the body.
type Seen struct {
	Codec      string `json:"codec"`
	Confidence string `json:"confidence"`
	Why        string `json:"why"`
}

// LineOf returns the line of an entry without its bytes.
func LineOf(m framework.DeadMessage) Line {
	l := Line{
		Queue: m.Queue, Entry: m.Entry, Reason: m.Reason, Detail: m.Detail, ID: string(m.ID), Digest: m.Digest,
		Offered: words.Stamp(m.Offered), Due: words.Stamp(m.Due), At: words.Stamp(m.At),
		Bytes: len(m.Body), Delivered: m.Delivered, Failed: m.Failed, Died: m.Died, Hung: m.Hung, Redriven: m.Redriven,
	}
	for _, h := range m.Deaths {
		l.Deaths = append(l.Deaths, deathOf(h))
	}
	return l
}

func deathOf(h handlers.Death) Death {
	return Death{
		At: words.Stamp(h.At), Redriven: words.Stamp(h.Redriven), Entry: h.Entry, Reason: h.Reason, Detail: h.Detail, ID: h.ID,
		Offered: words.Stamp(h.Offered), Due: words.Stamp(h.Due), Delivered: h.Delivered, Failed: h.Failed, Died: h.Died,
	}
}

// ExportOf returns the line of an entry with its bytes, as an export has it.
func ExportOf(queue string, m framework.DeadMessage) Line {
	l := LineOf(m)
	l.Queue, l.Payload = queue, m.Body
	return l
}
