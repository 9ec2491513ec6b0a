package codecs

// Integer returns the codec of Redisson's IntegerCodec: the payload is the
// decimal text of a 32-bit number, for example "7". Canonical name "integer".
//
// It carries int, int8 to int32, uint8 and uint16; an int outside 32 bits is an
// [*EncodeError]. int64 and uint32 are refused: the long codec is theirs. Without a Go
// type it yields int32.
func Integer(opts ...PlainOption) Codec {
	return wholeNumber("integer", "int", 32).with(opts)
}
