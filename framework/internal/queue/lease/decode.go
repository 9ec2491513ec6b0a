package lease

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/duequeue/duequeue/framework/internal/rediserr"
	"github.com/duequeue/duequeue/framework/internal/script"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

const (
	traceIndex = 4 // digits of the index before a trace record
	tailParts  = 5 // how many elements of a reply follow the bodies
)

// takeHead is the last element of a reply of take.
type takeHead struct {
	nowMs int64
	taken int64 // ms of the take; of a repeated one, of the first
	open  int   // fetches that Redis holds open, without this one
}

// decodeTake reads a reply of take as it stood on the wire. The bodies share its
// buffer: a copy for each would cost more than all the rest of the decoding.
func decodeTake(raw []byte, f *fetch) (Batch, takeHead, error) {
	bad := func(reason string) (Batch, takeHead, error) {
		return Batch{}, takeHead{}, &script.ReplyError{Script: takeScript.Name(), Reason: reason}
	}
	line, rest, ok := bytes.Cut(raw, crlf)
	if !ok || len(line) < 2 {
		return bad("no array")
	}
	if line[0] == '-' {
		return Batch{}, takeHead{}, rediserr.Answer(line[1:])
	}
	n, err := strconv.Atoi(string(line[1:]))
	if err != nil || line[0] != '*' || n != 1 && n < tailParts {
		return bad(string(line))
	}
	var b Batch
	if n > tailParts {
		b.Messages = make([]Message, n-tailParts)
		for i := range b.Messages {
			m := &b.Messages[i]
			if m.Body, rest, ok = bulk(rest); !ok {
				return bad("a body is cut short")
			}
			m.Token = Token{Nonce: f.nonce, Index: i + 1}
			m.DueMs, m.FirstDueMs = -1, -1
		}
	}
	var tail [tailParts]string
	for i := tailParts - min(n, tailParts); i < tailParts; i++ {
		var part []byte
		if part, rest, ok = bulk(rest); !ok {
			return bad("an element is cut short")
		}
		tail[i] = string(part)
	}
	head, ok := decodeHead(&b, tail[4])
	if !ok || len(rest) > 0 {
		return bad("head " + strconv.Quote(tail[4]))
	}
	for i := range b.Messages {
		b.Messages[i].mint(head.taken)
	}
	if !decodeDues(b.Messages, tail[0]) || !decodeTraces(b.Messages, tail[1]) {
		return bad("unreadable records")
	}
	if !decodeCounters(b.Messages, tail[2], f) || !decodeBuried(&b, tail[3]) {
		return bad("unreadable counters or dead letters")
	}
	return b, head, nil
}

var crlf = []byte("\r\n")

// bulk reads one bulk string of the protocol.
func bulk(raw []byte) (value, rest []byte, ok bool) {
	if len(raw) == 0 || raw[0] != '$' {
		return nil, nil, false
	}
	n, at := 0, 1
	for at < len(raw) && raw[at] >= '0' && raw[at] <= '9' && at < 12 {
		n = n*10 + int(raw[at]-'0')
		at++
	}
	at += len(crlf)
	if end := at + n; at > 3 && end+len(crlf) <= len(raw) {
		return raw[at:end:end], raw[end+len(crlf):], true
	}
	return nil, nil, false
}

func decodeHead(b *Batch, text string) (takeHead, bool) {
	var n [9]int64
	if rest, ok := numbers(text, n[:]); !ok || rest != "" {
		return takeHead{}, false
	}
	b.Lost, b.Stale, b.Repeated, b.Suspect = n[0] == 1, int(n[4]), n[5] == 1, n[6] == 1
	b.Ready = int(n[8])
	b.NowUs = n[1]*1_000_000 + n[2]
	head := takeHead{nowMs: b.NowUs / 1000, taken: n[7], open: int(n[3])}
	if b.Repeated {
		b.Stale = 0 // the acks had their effect the first time
		head.open-- // this fetch was counted too
	}
	return head, true
}

// numbers reads decimals separated by single spaces and returns what follows them.
func numbers(text string, out []int64) (string, bool) {
	for i := range out {
		var n int64
		at := 0
		for at < len(text) && text[at] >= '0' && text[at] <= '9' && at < 17 {
			n = n*10 + int64(text[at]-'0')
			at++
		}
		if at == 0 {
			return text, false
		}
		out[i] = n
		if text = text[at:]; text != "" && i < len(out)-1 {
			if text[0] != ' ' {
				return text, false
			}
			text = text[1:]
		}
	}
	return text, true
}

func decodeDues(messages []Message, dues string) bool {
	if dues == "" {
		return true
	}
	if len(dues) != len(messages)*wire.DueRecordBytes {
		return false
	}
	for i := range messages {
		messages[i].setDue(dues[i*wire.DueRecordBytes:])
	}
	return true
}

// mint gives the message the id that follows from its place in the fetch, as slot_id of
// fragment header does.
func (m *Message) mint(taken int64) {
	e := wire.ElementID{Kind: wire.KindFirst, Raw: [8]byte{7}}
	_, _ = hex.Decode(e.Raw[1:6], []byte(m.Token.Nonce[:10]))
	binary.BigEndian.PutUint16(e.Raw[6:], uint16(m.Token.Index)) // at most MaxTake
	m.element, m.ID = e, wire.MessageID{DueMs: taken, Element: e}
}

// setDue reads the due record at the head of rec. An unknown one is left out.
func (m *Message) setDue(rec string) {
	r, ok := wire.ParseDueRecord(rec)
	if !ok {
		return
	}
	m.ID.DueMs = r.DueMs
	switch {
	case r.Guess:
		m.DueMs, m.DueGuessed = r.DueMs, true
	case r.ID.Kind != wire.KindMinted:
		m.DueMs, m.FirstDueMs = r.DueMs, r.DueMs
	}
	switch r.ID.Kind {
	case wire.KindOther:
		return
	case wire.KindJava:
	default:
		r.ID.Kind = wire.KindFirst
	}
	m.element = r.ID
	m.ID.Element = m.element
}

func decodeTraces(messages []Message, traces string) bool {
	const entry = traceIndex + wire.TraceRecordBytes
	if len(traces)%entry != 0 {
		return false
	}
	for ; traces != ""; traces = traces[entry:] {
		i := atoi(traces[:traceIndex])
		if i < 1 || i > len(messages) {
			return false
		}
		messages[i-1].Trace = wire.ContextOf(traces[traceIndex:entry])
	}
	return true
}

// counterParts is how many words an entry of the counters has, see counters.lua.
const counterParts = 10

// decodeCounters reads "index delivered failed died hung field id first key history;…".
func decodeCounters(messages []Message, counters string, f *fetch) bool {
	for counters != "" {
		entry, rest, _ := strings.Cut(counters, ";")
		counters = rest
		w := strings.SplitN(entry, " ", counterParts)
		if len(w) != counterParts {
			return false
		}
		index := atoi(w[0])
		if index < 1 || index > len(messages) {
			return false
		}
		m := &messages[index-1]
		m.Delivered, m.Failed, m.Died, m.Hung = atoi(w[1]), atoi(w[2]), atoi(w[3]), atoi(w[4])
		id, err := wire.ParseID(w[6])
		if err != nil {
			return false
		}
		m.ID = id
		if first, err := strconv.ParseInt(w[7], 10, 64); err == nil {
			m.FirstDueMs = first
		}
		m.Key, m.History = unescape.Replace(w[8]), unescape.Replace(w[9])
		if f.fields == nil {
			f.fields = make(map[int]string)
		}
		f.fields[index] = w[5]
	}
	return true
}

// unescape undoes what counters.lua does to keys and histories.
var unescape = strings.NewReplacer("%3B", ";", "%20", " ", "%25", "%")

// decodeBuried reads "reason size digest entry;…".
func decodeBuried(b *Batch, buried string) bool {
	for buried != "" {
		entry, rest, _ := strings.Cut(buried, ";")
		buried = rest
		parts := strings.Fields(entry)
		if len(parts) != 4 {
			return false
		}
		b.Buried = append(b.Buried, Buried{Reason: parts[0], Size: atoi(parts[1]), Digest: parts[2], Entry: parts[3]})
	}
	return true
}
