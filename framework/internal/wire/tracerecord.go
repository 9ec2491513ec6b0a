package wire

import "fmt"

// TraceRecord is the context of a sampled offer, kept until the message is taken; see
// [TraceRecord.Member].
type TraceRecord struct {
	DueRecord
	Context  [TraceContextBytes]byte // trace id 16, span id 8, flags 1
	ExpiryMs int64                   // server time in ms from when on it is rubbish
}

// ContextOf returns the packed trace context of a trace record.
func ContextOf(record string) []byte {
	return []byte(record[DueRecordBytes : DueRecordBytes+TraceContextBytes])
}

// Append appends the record to dst.
func (r TraceRecord) Append(dst []byte) []byte {
	dst = append(r.DueRecord.Append(dst), r.Context[:]...)
	return fmt.Appendf(dst, "%016d", r.ExpiryMs)
}

// Member returns the member of the sorted set: the digest of the payload, kind and id,
// and the rest of the record.
func (r TraceRecord) Member(payload []byte) []byte {
	record := r.Append(nil)
	member := append([]byte(Digest(payload)), record[0])
	member = append(member, r.ID.Raw[:]...)
	member = append(member, record[1:1+2*msDigits]...)
	return append(member, record[DueRecordBytes:]...)
}
