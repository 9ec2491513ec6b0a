package redisson

import "fmt"

// TraceContextBytes is the size of a packed trace context: trace id 16, span id
// 8, flags 1.
const TraceContextBytes = 25

const traceRecordBytes = dueRecordBytes + TraceContextBytes + msDigits

// TraceRecord is one entry of the trace hash: the context of a sampled offer,
// kept until the message is taken. Its field is [Digest] of the payload.
type TraceRecord struct {
	DueRecord
	Context  [TraceContextBytes]byte // trace id 16, span id 8, flags 1
	ExpiryMs int64                   // server time in ms from when on it is rubbish
}

// Append appends the 82 bytes of r to dst.
func (r TraceRecord) Append(dst []byte) []byte {
	dst = r.DueRecord.Append(dst)
	dst = append(dst, r.Context[:]...)
	return fmt.Appendf(dst, "%016d", r.ExpiryMs)
}

// ParseTraceRecords reads a string of trace records, oldest first. The error is
// a [*RecordError].
func ParseTraceRecords(value []byte) ([]TraceRecord, error) {
	if len(value)%traceRecordBytes != 0 {
		return nil, &RecordError{Record: "trace", Size: len(value), Reason: "is not a multiple of 82 bytes"}
	}
	records := make([]TraceRecord, 0, len(value)/traceRecordBytes)
	for ; len(value) > 0; value = value[traceRecordBytes:] {
		head, err := parseRecordHead("trace", value)
		if err != nil {
			return nil, err
		}
		r := TraceRecord{DueRecord: head, Context: [TraceContextBytes]byte(value[dueRecordBytes:])}
		if r.ExpiryMs, err = parseMs(value[dueRecordBytes+TraceContextBytes:]); err != nil {
			return nil, &RecordError{Record: "trace", Size: len(value), Reason: "its expiry is not 16 digits"}
		}
		records = append(records, r)
	}
	return records, nil
}
