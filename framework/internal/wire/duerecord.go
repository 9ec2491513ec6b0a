package wire

import (
	"crypto/sha1"
	"encoding/hex"
	"fmt"
)

// Sizes of records; see script/lua/layout.lua.
const (
	DueRecordBytes    = 1 + 2*msDigits + 8
	TraceRecordBytes  = DueRecordBytes + TraceContextBytes + msDigits
	TraceContextBytes = 16 + 8 + 1 // trace id, span id, flags

	msDigits      = 16 // due, written and expiry are zero-padded decimals
	duePayloadMax = 512
)

// DueRecord tells when a ready message was due and under which id it was pending. An
// entry of the due list is one with its payload; see [DueRecord.Entry].
type DueRecord struct {
	ID        ElementID
	DueMs     int64 // due time in ms
	WrittenMs int64 // server time in ms when it came to be ready: of its transfer or return
	Guess     bool  // it is that of an equal payload, see due_guess of fragment due
}

// ParseDueRecord reads the record at the head of text. It reports false for one that tells
// nothing, and for what is none.
func ParseDueRecord(text string) (r DueRecord, ok bool) {
	if len(text) < DueRecordBytes {
		return DueRecord{}, false
	}
	due, ok := digits(text[1 : 1+msDigits])
	written, also := digits(text[1+msDigits : 1+2*msDigits])
	if !ok || !also {
		return DueRecord{}, false
	}
	r = DueRecord{DueMs: due, WrittenMs: written}
	r.ID = ElementID{Kind: text[0], Raw: [8]byte([]byte(text[1+2*msDigits : DueRecordBytes]))}
	if r.Guess = text[0] >= 'A' && text[0] <= 'Z'; r.Guess {
		r.ID.Kind += 'a' - 'A'
	}
	return r, true
}

func digits(text string) (n int64, ok bool) {
	for _, c := range []byte(text) {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	return n, true
}

// Entry returns the entry of the due list: the record, then the payload itself up to
// 512 bytes, otherwise "#" and the SHA-1 of it in hex.
func (r DueRecord) Entry(payload []byte) []byte {
	if len(payload) <= duePayloadMax {
		return append(r.Append(nil), payload...)
	}
	sum := sha1.Sum(payload)
	return hex.AppendEncode(append(r.Append(nil), '#'), sum[:])
}

// Append appends the record to dst.
func (r DueRecord) Append(dst []byte) []byte {
	kind := r.ID.Kind
	if r.Guess {
		kind -= 'a' - 'A'
	}
	dst = fmt.Appendf(append(dst, kind), "%016d%016d", r.DueMs, r.WrittenMs)
	return append(dst, r.ID.Raw[:]...)
}
