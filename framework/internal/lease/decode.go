package lease

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/duequeue/duequeue/framework/internal/redisson"
)

// Sizes of the records in a reply; formats in package redisson.
const (
	dueBytes   = 41
	traceBytes = 82
	traceIndex = 4 // digits of the index before a trace record

	// tailParts is how many elements of a reply follow the bodies.
	tailParts = 5
)

// takeHead is the last element of a reply of take.
type takeHead struct {
	nowMs int64
	open  int // fetches before this one; -1 where not counted
}

// answer is an error that Redis answered.
type answer string

func (e answer) Error() string { return string(e) }

// RedisError marks it as go-redis marks its own.
func (answer) RedisError() {}

// decodeTake reads a reply of take as it stood on the wire. The bodies share its
// buffer: a copy for each would cost more than all the rest of the decoding.
func decodeTake(raw []byte, f *fetch) (Batch, takeHead, error) {
	bad := func(reason string) (Batch, takeHead, error) {
		return Batch{}, takeHead{}, &ReplyError{Script: takeScript.Name(), Reason: reason}
	}
	line, rest, ok := bytes.Cut(raw, crlf)
	if !ok || len(line) < 2 {
		return bad("no array")
	}
	if line[0] == '-' {
		return Batch{}, takeHead{}, answer(line[1:])
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
			m.DueMs = -1
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
	if !decodeDues(b.Messages, tail[0]) || !decodeTraces(b.Messages, tail[1]) {
		return bad("unreadable records")
	}
	if !decodeCounters(b.Messages, tail[2], f) || !decodeBuried(&b, tail[3]) {
		return bad("unreadable counters or dead letters")
	}
	head, ok := decodeHead(&b, tail[4])
	if !ok || len(rest) > 0 {
		return bad("head " + strconv.Quote(tail[4]))
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
	var n [7]int64
	if rest, ok := numbers(text, n[:]); !ok || rest != "" {
		return takeHead{}, false
	}
	b.Lost, b.Stale, b.Repeated, b.Suspect = n[0] == 1, int(n[4]), n[5] == 1, n[6] == 1
	b.NowMs = n[1]*1000 + n[2]/1000
	head := takeHead{nowMs: b.NowMs, open: int(n[3]) - 1}
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
	if len(dues) != len(messages)*dueBytes {
		return false
	}
	for i := range messages {
		messages[i].setDue(dues[i*dueBytes : (i+1)*dueBytes])
	}
	return true
}

// setDue reads the head that due and trace records share: kind, due ms, time of
// writing, id. An unknown record is left out.
func (m *Message) setDue(rec string) {
	var due [1]int64
	if rest, ok := numbers(rec[1:17], due[:]); !ok || rest != "" {
		return
	}
	m.DueMs = due[0]
	switch kind := rec[0]; kind {
	case redisson.KindFirst, redisson.KindJava:
		m.ID.Kind, m.HasID = kind, true
		copy(m.ID.Raw[:], rec[33:41])
	}
}

func decodeTraces(messages []Message, traces string) bool {
	const entry = traceIndex + traceBytes
	if len(traces)%entry != 0 {
		return false
	}
	for ; traces != ""; traces = traces[entry:] {
		i := atoi(traces[:traceIndex])
		if i < 1 || i > len(messages) {
			return false
		}
		m, rec := &messages[i-1], traces[traceIndex:entry]
		m.Trace = []byte(rec[dueBytes : dueBytes+redisson.TraceContextBytes])
		if m.DueMs < 0 {
			m.setDue(rec)
		}
	}
	return true
}

// decodeCounters reads "index delivered failed died field[ history];…".
func decodeCounters(messages []Message, counters string, f *fetch) bool {
	for counters != "" {
		entry, rest, _ := strings.Cut(counters, ";")
		counters = rest
		var n [4]int64
		field, ok := numbers(entry, n[:])
		if !ok || n[0] < 1 || int(n[0]) > len(messages) || !strings.HasPrefix(field, " ") {
			return false
		}
		m := &messages[n[0]-1]
		m.Delivered, m.Failed, m.Died = int(n[1]), int(n[2]), int(n[3])
		field, history, _ := strings.Cut(field[1:], " ")
		if history != "" {
			m.History = unescape.Replace(history)
		}
		if f.fields == nil {
			f.fields = make(map[int]string)
		}
		f.fields[int(n[0])] = field
	}
	return true
}

// unescape undoes what counters.lua does to a history.
var unescape = strings.NewReplacer("%3B", ";", "%25", "%")

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
