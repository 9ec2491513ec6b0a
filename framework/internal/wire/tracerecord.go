package wire

// TraceRecord is the context of a sampled offer, kept until the message is taken: a member
// of a sorted set, the digest of the payload, kind and id, and the rest of the record.
type TraceRecord struct {
	DueRecord
	Context  [TraceContextBytes]byte // trace id 16, span id 8, flags 1
	ExpiryMs int64                   // server time in ms from when on it is rubbish
}

// ContextOf returns the packed trace context of a trace record.
func ContextOf(record string) []byte {
	return []byte(record[DueRecordBytes : DueRecordBytes+TraceContextBytes])
}
