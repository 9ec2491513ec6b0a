package journal

import (
	"strconv"
	"strings"
	"time"
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
	ID      string // in its partition, as it stands in Redis; empty where it had none
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

// A page is the number of its records, who wrote it and the names of the fields in a line, then a
// line for each record; the parts of a line stand behind tabs. Values name their field by its
// place:
//
//	2 <tab> host/4711 <tab> orderId <tab> customer.id
//	handled <tab> 19…-0a… <tab> 1764…000 <tab> 12 <tab> 1 <tab> <tab> order-7 <tab> 0=7 <tab> 1=12
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

// appendRecord adds the line of a record, but for its values.
func appendRecord(b []byte, r *Record) []byte {
	b = append(append(b, r.Outcome...), separator)
	b = append(append(b, r.ID...), separator)
	b = append(strconv.AppendInt(b, r.AtMs, 10), separator)
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
	names := strings.Split(head, string(separator))
	by := ""
	if len(names) > 1 {
		by = unescaper.Replace(names[1])
	}
	names = names[min(2, len(names)):]
	for i, name := range names {
		names[i] = unescaper.Replace(name)
	}
	rows := strings.Split(strings.TrimSuffix(lines, "\n"), "\n")
	out := make([]Record, 0, len(rows))
	for i := len(rows) - 1; i >= 0; i-- {
		if r, ok := parseRecord(rows[i], names); ok {
			r.By = by
			out = append(out, r)
		}
	}
	return out
}

func parseRecord(line string, names []string) (r Record, ok bool) {
	parts := strings.Split(line, string(separator))
	if len(parts) < 7 {
		return r, false
	}
	var errs [3]error
	r.Outcome, r.ID = parts[0], parts[1]
	r.AtMs, errs[0] = strconv.ParseInt(parts[2], 10, 64)
	r.LateMs, errs[1] = strconv.ParseInt(parts[3], 10, 64)
	r.Attempt, errs[2] = strconv.Atoi(parts[4])
	r.Reason, r.Key = unescaper.Replace(parts[5]), unescaper.Replace(parts[6])
	for _, value := range parts[7:] {
		place, text, _ := strings.Cut(value, "=")
		if i, err := strconv.Atoi(place); err == nil && i >= 0 && i < len(names) {
			r.Values = append(r.Values, Value{names[i], unescaper.Replace(text)})
		}
	}
	return r, errs == [3]error{}
}

// Late is how late the handler of the message started, and whether that is known.
func (r Record) Late() (time.Duration, bool) {
	return time.Duration(r.LateMs) * time.Millisecond, r.LateMs >= 0
}

// At is when the message ended.
func (r Record) At() time.Time { return time.UnixMilli(r.AtMs) }
