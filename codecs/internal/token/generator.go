package token

import (
	"math/big"

	"github.com/duequeue/duequeue/codecs/java"
)

// Generator writes tokens as the bytes of one format, as Jackson's generator of that
// format does. It is for one payload at a time and not safe for concurrent use.
//
// Errors are plain reasons ("not UTF-8: a Java String cannot hold it"): who calls
// knows the path and the type. A container is closed by who opened it.
type Generator interface {
	// Begin starts a payload that is appended to dst.
	Begin(dst []byte)
	// End returns dst with the payload behind it, and lets go of it.
	End() []byte
	// Len returns how many bytes stand there, those of dst included.
	Len() int

	Null()
	Bool(v bool)
	Int(n int64)
	Float32(f float32)
	Float64(f float64)
	Big(n *big.Int) error
	Decimal(d java.BigDecimal) error
	String(s string) error
	Bytes(b []byte)

	// Object begins an object of n members; class, where it is not empty, is its
	// type id, which comes first and is not one of the n.
	Object(class string, n int) error
	// Key begins a member.
	Key(name string) error
	// IntKey begins a member whose key Java wrote from an Integer or Long.
	IntKey(n int64) error
	EndObject()
	// Array begins an array of n elements.
	Array(n int)
	EndArray()
	// Wrap begins a value with a type id beside it: ["class",value]; EndWrap ends it.
	Wrap(class string) error
	EndWrap()
}
