package lease

import (
	"strconv"
	"strings"
	"unsafe"

	"github.com/duequeue/duequeue/framework/internal/redisson"
)

// Sizes of the records in a reply; formats in package redisson.
const (
	dueBytes   = 41
	traceBytes = 82
	traceIndex = 4 // digits of the index before a trace record
)

// takeHead is the first element of a reply of take.
type takeHead struct {
	now  int64
	open int
}

// decodeTake reads a reply of take. The bodies share one buffer, which go-redis has
// made for this reply alone.
func decodeTake(reply []string, f *fetch) (Batch, takeHead, error) {
	bad := func(reason string) (Batch, takeHead, error) {
		return Batch{}, takeHead{}, &ReplyError{Script: takeScript.Name(), Reason: reason}
	}
	if len(reply) != 1 && len(reply) != 7 {
		return bad(strconv.Itoa(len(reply)) + " elements")
	}
	var head takeHead
	var b Batch
	var nums [7]int64
	if rest, ok := numbers(reply[0], nums[:]); !ok || rest != "" {
		return bad("head " + strconv.Quote(reply[0]))
	}
	b.Lost, b.NowMs, b.Stale = nums[0] == 1, nums[1], int(nums[4])
	b.Repeated, b.Suspect = nums[5] == 1, nums[6] == 1
	head.now, head.open = nums[1], int(nums[3])
	if b.Repeated {
		b.Stale = 0 // the acks had their effect the first time
		head.open = 0
	}
	if len(reply) == 1 {
		return b, head, nil
	}
	if !decodeBodies(&b, reply[1], reply[2], f.nonce) {
		return bad("sizes and bodies do not agree")
	}
	if !decodeDues(b.Messages, reply[3]) || !decodeTraces(b.Messages, reply[4]) {
		return bad("unreadable records")
	}
	if !decodeCounters(b.Messages, reply[5], f) || !decodeBuried(&b, reply[6]) {
		return bad("unreadable counters or dead letters")
	}
	return b, head, nil
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

func decodeBodies(b *Batch, sizes, bodies, nonce string) bool {
	if sizes == "" {
		return bodies == ""
	}
	n := strings.Count(sizes, " ") + 1
	b.Messages = make([]Message, n)
	// The string is this reply's own and is not used as a string any more.
	all := unsafe.Slice(unsafe.StringData(bodies), len(bodies))
	for i := range b.Messages {
		var size [1]int64
		rest, ok := numbers(sizes, size[:])
		if !ok || size[0] > int64(len(all)) {
			return false
		}
		sizes = strings.TrimPrefix(rest, " ")
		m := &b.Messages[i]
		m.Body = all[:size[0]:size[0]]
		all = all[size[0]:]
		m.Token = Token{Nonce: nonce, Index: i + 1}
		m.DueMs = -1
	}
	return sizes == "" && len(all) == 0
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

// decodeCounters reads "index delivered failed died field;…".
func decodeCounters(messages []Message, counters string, f *fetch) bool {
	for entry := range strings.SplitSeq(counters, ";") {
		if entry == "" {
			continue
		}
		var n [5]int64
		field, ok := numbers(entry, n[:4])
		if !ok || n[0] < 1 || int(n[0]) > len(messages) || !strings.HasPrefix(field, " ") {
			return false
		}
		m := &messages[n[0]-1]
		m.Delivered, m.Failed, m.Died = int(n[1]), int(n[2]), int(n[3])
		if f.fields == nil {
			f.fields = make(map[int]string)
		}
		f.fields[int(n[0])] = field[1:]
	}
	return true
}

// decodeBuried reads "reason size digest entry;…".
func decodeBuried(b *Batch, buried string) bool {
	for entry := range strings.SplitSeq(buried, ";") {
		if entry == "" {
			continue
		}
		parts := strings.Fields(entry)
		if len(parts) != 4 {
			return false
		}
		b.Buried = append(b.Buried, Buried{Reason: parts[0], Size: atoi(parts[1]), Digest: parts[2], Entry: parts[3]})
	}
	return true
}
