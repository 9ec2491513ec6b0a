package redisson

import (
	"crypto/sha1"
	"encoding/hex"
	"fmt"
)

const (
	msDigits       = 16 // due, written and expiry are zero-padded decimals
	dueRecordBytes = 1 + msDigits + msDigits + 8
	duePayloadMax  = 512
)

// MaxDueMs is the first due time, in ms since 1970, that is refused: from 2^53
// on, a score no longer holds every millisecond.
const MaxDueMs = int64(1) << 53

// DueRecord tells when a ready message was due and under which id it was pending. An
// entry of the due list is one with its payload; see [DueRecord.Entry].
type DueRecord struct {
	ID        ElementID
	DueMs     int64 // due time in ms
	WrittenMs int64 // server time in ms when it came to be ready: of its transfer or return
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

// Append appends the 41 bytes of r to dst.
func (r DueRecord) Append(dst []byte) []byte {
	dst = append(dst, r.ID.Kind)
	dst = fmt.Appendf(dst, "%016d%016d", r.DueMs, r.WrittenMs)
	return append(dst, r.ID.Raw[:]...)
}
