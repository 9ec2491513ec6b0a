package wire

import (
	"strconv"
	"strings"
)

// Places in a record of the attempts hash, behind the ';' of its counters; see
// script/lua/layout.lua.
const (
	recordKind   = 2 * msDigits
	recordOrigin = recordKind + 1
	recordID     = recordOrigin + msDigits
	recordLength = recordID + 8 + msDigits + 40
	recordKey    = recordLength + 4
)

// MessageRecord is what is known of a message beside its element.
type MessageRecord struct {
	ID                      MessageID // without its partition
	Key                     string    // it was offered with, "" for none
	DueMs                   int64     // of its element, 0 where unknown
	Delivered, Failed, Died int
}

// ParseMessageRecord reads a value of the attempts hash. It reports false for what is none.
func ParseMessageRecord(value string) (r MessageRecord, ok bool) {
	counters, rest, found := strings.Cut(value, ";")
	if !found || len(rest) < recordKey {
		return MessageRecord{}, false
	}
	count := strings.Split(counters, ",")
	length, err := strconv.Atoi(rest[recordLength:recordKey])
	due, dueOK := digits(rest[msDigits : 2*msDigits])
	origin, originOK := digits(rest[recordOrigin:recordID])
	if len(count) < 3 || err != nil || length < 0 || len(rest) < recordKey+length || !dueOK || !originOK {
		return MessageRecord{}, false
	}
	r = MessageRecord{DueMs: due, Key: rest[recordKey : recordKey+length]}
	for i, to := range []*int{&r.Delivered, &r.Failed, &r.Died} {
		*to, _ = strconv.Atoi(count[i]) // zero for what is no number, as in the scripts
	}
	r.ID = MessageID{DueMs: origin, Element: ElementID{Kind: KindFirst, Raw: [8]byte([]byte(rest[recordID : recordID+8]))}}
	if rest[recordKind] == KindJava {
		r.ID.Element.Kind = KindJava
	}
	return r, true
}
