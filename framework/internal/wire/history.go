package wire

import (
	"strconv"
	"strings"
)

// Death is one time that a message went to the dead store, as its history keeps it.
type Death struct {
	AtMs                    int64  // when it was given up, by the clock of Redis; -1 where unknown
	RedrivenMs              int64  // when it was put back
	Entry                   string // its id in the stream
	Reason                  string
	Delivered, Failed, Died int
	DueMs                   int64  // when it had been due; -1 where unknown
	ID                      string // of that life, see [FormatID]; "" where unknown
	Detail                  string // the first 200 bytes
}

// History is what is known of the former lives of a redriven message.
type History struct {
	Redriven int     // how often it was put back; 0 for never
	Deaths   []Death // oldest first: the first one, and the latest seven
}

const (
	historyCount = 6 // digits
	historyWords = 9 // before the detail
)

// ParseHistory reads what fragment history of package delayed writes. What cannot be read is left
// out: a history is for people, and keeps no message from being handled.
func ParseHistory(text string) History {
	if len(text) < historyCount {
		return History{}
	}
	n, err := strconv.Atoi(text[:historyCount])
	if err != nil || n < 1 {
		return History{}
	}
	h := History{Redriven: n}
	for text = text[historyCount:]; len(text) >= 4; {
		size, err := strconv.Atoi(text[:4])
		if err != nil || size < 0 || 4+size > len(text) {
			break
		}
		if d, ok := parseDeath(text[4 : 4+size]); ok {
			h.Deaths = append(h.Deaths, d)
		}
		text = text[4+size:]
	}
	return h
}

func parseDeath(record string) (Death, bool) {
	w := strings.SplitN(record, " ", historyWords+1)
	if len(w) != historyWords+1 {
		return Death{}, false
	}
	word := func(i int) string { return strings.TrimSuffix(w[i], "-") }
	ms := func(i int) int64 {
		n, err := strconv.ParseInt(w[i], 10, 64)
		if err != nil {
			return -1
		}
		return n
	}
	return Death{
		AtMs: ms(0), RedrivenMs: ms(1), Entry: w[2], Reason: word(3),
		Delivered: int(max(ms(4), 0)), Failed: int(max(ms(5), 0)), Died: int(max(ms(6), 0)),
		DueMs: ms(7), ID: word(8), Detail: strings.ToValidUTF8(w[9], "\ufffd"),
	}, true
}
