package redisson

import (
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"strconv"
)

const (
	msDigits       = 16 // due, written and expiry are zero-padded decimals
	dueRecordBytes = 1 + msDigits + msDigits + 8
	dueFieldMax    = 512
)

// MaxDueMs is the first due time, in ms since 1970, that is refused: from 2^53
// on, a score no longer holds every millisecond.
const MaxDueMs = int64(1) << 53

// DueRecord is one entry of the due hash: when a ready message was due and under
// which id it was pending.
type DueRecord struct {
	ID        ElementID
	DueMs     int64 // due time in ms
	WrittenMs int64 // server time of the transfer in ms
}

// RecordError reports a due or trace record that cannot be read.
type RecordError struct {
	Record string // "due" or "trace"
	Size   int    // bytes given
	Reason string // what is wrong
}

// Error names the record and the reason.
func (e *RecordError) Error() string {
	return fmt.Sprintf("%s record of %d bytes: %s", e.Record, e.Size, e.Reason)
}

// DueField returns the field of a payload in the due hash: the payload itself up
// to 512 bytes, otherwise "#" and the SHA-1 of it in hex.
func DueField(payload []byte) string {
	if len(payload) <= dueFieldMax {
		return string(payload)
	}
	sum := sha1.Sum(payload)
	return "#" + hex.EncodeToString(sum[:])
}

// Append appends the 41 bytes of r to dst.
func (r DueRecord) Append(dst []byte) []byte {
	dst = append(dst, r.ID.Kind)
	dst = fmt.Appendf(dst, "%016d%016d", r.DueMs, r.WrittenMs)
	return append(dst, r.ID.Raw[:]...)
}

// ParseDueRecords reads a string of due records, oldest first. The error is a
// [*RecordError].
func ParseDueRecords(value []byte) ([]DueRecord, error) {
	if len(value)%dueRecordBytes != 0 {
		return nil, &RecordError{Record: "due", Size: len(value), Reason: "is not a multiple of 41 bytes"}
	}
	records := make([]DueRecord, 0, len(value)/dueRecordBytes)
	for ; len(value) > 0; value = value[dueRecordBytes:] {
		head, err := parseRecordHead("due", value)
		if err != nil {
			return nil, err
		}
		records = append(records, head)
	}
	return records, nil
}

// parseRecordHead reads the 41 bytes that both kinds of record start with.
func parseRecordHead(record string, b []byte) (DueRecord, error) {
	fail := func(reason string) (DueRecord, error) {
		return DueRecord{}, &RecordError{Record: record, Size: len(b), Reason: reason}
	}
	r := DueRecord{ID: ElementID{Kind: b[0], Raw: [8]byte(b[1+2*msDigits:])}}
	switch r.ID.Kind {
	case KindFirst, KindJava, KindOther:
	default:
		return fail(fmt.Sprintf("has the unknown kind %q", b[0]))
	}
	var err error
	if r.DueMs, err = parseMs(b[1:]); err != nil {
		return fail("its due time is not 16 digits")
	}
	if r.WrittenMs, err = parseMs(b[1+msDigits:]); err != nil {
		return fail("its time of writing is not 16 digits")
	}
	return r, nil
}

func parseMs(b []byte) (int64, error) {
	ms, err := strconv.ParseUint(string(b[:msDigits]), 10, 63)
	return int64(ms), err
}
