package journal

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/duequeue/duequeue/framework/internal/wire"
)

// How a message ended.
const (
	Handled   = "handled"
	Dead      = "dead"
	Expired   = "expired" // in the dead store, too
	Cancelled = "cancelled"
)

// Record tells what became of one message.
type Record struct {
	Outcome string
	ID      string // as users know it; empty where it had none
	AtMs    int64  // by the clock of Redis, as far as the process knew it
	LateMs  int64  // when its handler started, behind its due time; -1 where unknown
	Attempt int    // which one ended it; 0 where none was made
	Reason  string // of the dead store; empty elsewhere
	Key     string // of its offer
	Values  []Value
	By      string // the process: host/pid
}

// Value is the text of a field of a message.
type Value struct{ Path, Text string }

// Bounds of a record's texts, in bytes.
const (
	maxText   = 256
	maxValues = 16 // of one message
)

// A page is the number of its records with blanks behind it, the time of the first one in ms, who
// wrote it and the names of the fields in a line, then a line for each record: the first letter
// of its outcome, its ID, how many ms behind the first one, how late in ms, the attempt, the reason,
// the key, and values, which name their field by its place. The parts of a line stand behind tabs:
//
//	2     <tab> 1764…000 <tab> host/4711 <tab> orderId <tab> customer.id
//	h <tab> 19…-0a… <tab> 0 <tab> 12 <tab> 1 <tab> <tab> order-7 <tab> 0=7 <tab> 1=12
const separator = '\t'

// escaper keeps separators out of texts.
var (
	escaper   = strings.NewReplacer(`\`, `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`)
	unescaper = strings.NewReplacer(`\\`, `\`, `\t`, "\t", `\n`, "\n", `\r`, "\r")
)

// Text returns what a record keeps of a text: all of it, or the beginning of a long one.
func Text(text string) string {
	if len(text) > maxText {
		return strings.ToValidUTF8(text[:maxText], "") + "…"
	}
	return text
}

// appendText adds a text in a line.
func appendText(b []byte, text string) []byte {
	text = Text(text)
	if strings.ContainsAny(text, "\\\t\n\r") {
		text = escaper.Replace(text)
	}
	return append(b, text...)
}

// outcomes are those that there are; their first letters differ.
var outcomes = [...]string{Handled, Dead, Expired, Cancelled}

// appendRecord adds the line of a record in a page that begins at a time, but for its values. Its ID
// is that of own where that is not zero.
func appendRecord(b []byte, r *Record, from int64, own wire.MessageID) []byte {
	b = append(b, r.Outcome[0], separator)
	if own.Element.IsZero() {
		b = append(b, r.ID...)
	} else {
		b = wire.AppendID(b, own.DueMs, own.Element)
	}
	b = append(b, separator)
	b = append(strconv.AppendInt(b, r.AtMs-from, 10), separator)
	b = append(strconv.AppendInt(b, r.LateMs, 10), separator)
	b = append(strconv.AppendInt(b, int64(r.Attempt), 10), separator)
	b = append(appendText(b, r.Reason), separator)
	return appendText(b, r.Key)
}

// appendValue adds the value of the field at a place.
func appendValue(b []byte, place int, text string) []byte {
	b = append(b, separator)
	b = append(strconv.AppendInt(b, int64(place), 10), '=')
	return appendText(b, text)
}

// parse reads a page, the last record first. What cannot be read is left out: a person may have
// written it.
func parse(text string) []Record {
	head, lines, _ := strings.Cut(text, "\n")
	parts := strings.Split(head, string(separator))
	if len(parts) < 3 {
		return nil
	}
	from, err := strconv.ParseInt(parts[1], 10, 64)
	if err != nil {
		return nil
	}
	for i, part := range parts {
		parts[i] = unescaper.Replace(part)
	}
	rows := strings.Split(strings.TrimSuffix(lines, "\n"), "\n")
	out := make([]Record, 0, len(rows))
	for i := len(rows) - 1; i >= 0; i-- {
		if r, ok := parseRecord(rows[i], from, parts[3:]); ok {
			r.By = parts[2]
			out = append(out, r)
		}
	}
	return out
}

func parseRecord(line string, from int64, names []string) (r Record, ok bool) {
	parts := strings.Split(line, string(separator))
	if len(parts) < 7 {
		return r, false
	}
	i := slices.IndexFunc(outcomes[:], func(outcome string) bool { return outcome[:1] == parts[0] })
	if i < 0 {
		return r, false
	}
	behind, err1 := strconv.ParseInt(parts[2], 10, 64)
	late, err2 := strconv.ParseInt(parts[3], 10, 64)
	attempt, err3 := strconv.Atoi(parts[4])
	r = Record{
		Outcome: outcomes[i], ID: parts[1], AtMs: from + behind, LateMs: late, Attempt: attempt,
		Reason: unescaper.Replace(parts[5]), Key: unescaper.Replace(parts[6]),
	}
	for _, value := range parts[7:] {
		place, text, _ := strings.Cut(value, "=")
		if i, err := strconv.Atoi(place); err == nil && i >= 0 && i < len(names) {
			r.Values = append(r.Values, Value{names[i], unescaper.Replace(text)})
		}
	}
	return r, cmp.Or(err1, err2, err3) == nil
}

// Late is how late the handler of the message started, 0 where that is not known.
func (r Record) Late() (late time.Duration, known bool) {
	return time.Duration(max(r.LateMs, 0)) * time.Millisecond, r.LateMs >= 0
}

// At is when the message ended.
func (r Record) At() time.Time { return time.UnixMilli(r.AtMs) }
