// Package token is what the formats of Jackson's family have in common above their
// bytes: a payload as a flat tape of tokens, and a generator that writes tokens.
//
// A format is two things: a function that puts one whole payload on a [Tape] (by a
// [Builder], which keeps the limits), and a [Generator]. Neither knows Java classes;
// what tokens mean is the matter of package databind.
//
// The tape is made in one pass, before anything is made of its values: a payload is
// known to be well-formed and within the limits from then on, a look ahead costs
// nothing (Jackson finds "@class" at any place of an object), and a value is skipped
// in one step.
package token

import (
	"math"
	"math/big"
	"strconv"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/errpath"
	"github.com/duequeue/duequeue/codecs/internal/memory"
	"github.com/duequeue/duequeue/codecs/java"
)

// Kind says what a token is.
type Kind uint8

// The kinds of tokens.
const (
	Null    Kind = iota + 1
	Bool         // Num is 0 or 1
	Int          // a whole number within an int64: Num
	Big          // a whole number beyond an int64, or marked as one of any size: Tape.Big
	Float        // a fraction: Tape.Float; Num holds the bits of a float64 unless it has FlagLiteral
	Decimal      // an exact decimal fraction, in formats that tell it from a Float: Tape.Decimal
	String       // Tape.Text
	Bytes        // binary: Tape.Text
	Opaque       // what Java makes no value of, such as an extension type: Tape.Text is its bytes, Num its code
	Array        // N elements follow
	Object       // N members follow, each a Key and its value
	Key          // the name of the member whose value is next: Tape.Text; with FlagInt an integer in Num
)

// Flags say more about a token.
type Flags uint8

// The flags.
const (
	// FlagLiteral says that the token's text is the number as the payload spells it.
	// A Float with it has no Num. A String with it is a timestamp of the format.
	FlagLiteral Flags = 1 << iota
	// FlagExtra says that the text is in Tape.Extra, not in Tape.Payload.
	FlagExtra
	// FlagFloat32 says that a Float was written as a float of 32 bits.
	FlagFloat32
	// FlagInt says that a Key is an integer, in formats that have such keys.
	FlagInt
	// FlagSymbol is Ion's: the text is a symbol, not a string.
	FlagSymbol
	// FlagLong says that an Int within 32 bits was written as a number of 64 bits:
	// where nothing else is known Java reads a Long.
	FlagLong
	// FlagBig says that an Int was written as a number of any size: Java reads a
	// BigInteger.
	FlagBig

	// FlagSized says that an Array was written with its length, in a format whose
	// wrappers end with a break: two strings are none, unless nothing else may stand
	// there. No Array is a number, so the bit is free.
	FlagSized = FlagFloat32
	// FlagWrapper is for whoever reads the tape: the Array is a wrapper, which is no
	// part of paths. No Array is a symbol, so the bit is free.
	FlagWrapper = FlagSymbol
)

// Token is one value or key of a payload. It has no pointers.
type Token struct {
	Kind  Kind
	Flags Flags
	Type  uint16 // 1 + the index in Tape.Types of the type id that annotates the value; 0: none
	At    uint32 // byte offset in the payload where it begins
	Off   uint32 // of its text
	Len   uint32 // of its text
	Next  uint32 // index of the token after this one and all that is within it
	N     uint32 // elements of an Array, members of an Object
	Num   uint64
}

// Tape is one payload as tokens: the root is token 0, and what is within a
// container stands right after it. It is filled by a [Builder]. A Tape can be used
// again for another payload; it is not safe for concurrent use while it is filled.
type Tape struct {
	Payload []byte
	Tokens  []Token
	Extra   []byte // texts that do not stand in the payload as they are
	Types   []string
	// Wrapper reports whether the array at token i, of which perhaps only the head is
	// there, is a wrapper and so no part of paths. Nil: only those with FlagWrapper are.
	// It stays when the tape is used again.
	Wrapper func(t *Tape, i int) bool
	// Asked are the limits that errors name, which [Structure] widened. It stays too.
	Asked codecs.Limits

	bigs     []*big.Int
	decimals []java.BigDecimal
}

// Text returns the text of a String, Key, Bytes, Opaque or literal. Texts are UTF-8,
// a lone surrogate its three bytes. It is valid as long as the tape and the payload
// are, and must not be changed.
func (t *Tape) Text(k *Token) []byte {
	if k.Flags&FlagExtra != 0 {
		return t.Extra[k.Off : k.Off+k.Len]
	}
	return t.Payload[k.Off : k.Off+k.Len]
}

// Int returns the number of an Int.
func (k *Token) Int() int64 { return int64(k.Num) }

// Bool returns the value of a Bool.
func (k *Token) Bool() bool { return k.Num != 0 }

// Float returns the number of a Float. A literal too large for it is infinite, as in
// Java.
func (t *Tape) Float(k *Token) float64 {
	if k.Flags&FlagLiteral == 0 {
		return math.Float64frombits(k.Num)
	}
	f, _ := strconv.ParseFloat(memory.Text(t.Text(k)), 64) // a tokenizer lets nothing else through
	return f
}

// Big returns the number of a Big.
func (t *Tape) Big(k *Token) *big.Int { return new(big.Int).Set(t.bigs[k.Num]) }

// Decimal returns the number of a Decimal.
func (t *Tape) Decimal(k *Token) java.BigDecimal { return t.decimals[k.Num] }

// Class returns the type id that annotates a value, "" where there is none.
func (t *Tape) Class(k *Token) string {
	if k.Type == 0 {
		return ""
	}
	return t.Types[k.Type-1]
}

// Reset empties the tape for another payload and keeps its memory, unless it is much.
func (t *Tape) Reset(payload []byte) {
	const many = 1 << 14
	t.Payload = payload
	if cap(t.Tokens) > many {
		t.Tokens = nil
	}
	if cap(t.Extra) > many {
		t.Extra = nil
	}
	clear(t.bigs)
	clear(t.decimals)
	clear(t.Types)
	t.Tokens, t.Extra, t.Types = t.Tokens[:0], t.Extra[:0], t.Types[:0]
	t.bigs, t.decimals = t.bigs[:0], t.decimals[:0]
}

// wrapper reports whether the array at token i is no part of paths.
func (t *Tape) wrapper(i int) bool {
	return t.Tokens[i].Flags&FlagWrapper != 0 || t.Wrapper != nil && t.Wrapper(t, i)
}

// Path returns where token i stands in the value: items[3].price. Wrapper arrays
// are no part of it.
func (t *Tape) Path(i int) string {
	path := ""
	for at := 0; at < i && at < len(t.Tokens); {
		k := &t.Tokens[at]
		if k.Kind != Array && k.Kind != Object {
			break
		}
		child, name, ok := t.childWith(at, i)
		if !ok {
			break
		}
		switch {
		case k.Kind == Object:
			path = errpath.Join(path, errpath.Key(name))
		case !t.wrapper(at):
			path += name
		}
		at = child
	}
	return path
}

// childWith returns the child of the container at that token i is or is within, and
// its key or [index].
func (t *Tape) childWith(at, i int) (child int, name string, ok bool) {
	k := &t.Tokens[at]
	next := at + 1
	for n := 0; next < len(t.Tokens) && (k.Next == 0 || next < int(k.Next)); n++ {
		name = "[" + strconv.Itoa(n) + "]"
		if k.Kind == Object {
			key := &t.Tokens[next]
			name = string(t.Text(key))
			if key.Flags&FlagInt != 0 {
				name = strconv.FormatInt(key.Int(), 10)
			}
			if next == i || next+1 >= len(t.Tokens) {
				return next, name, true
			}
			next++
		}
		end := int(t.Tokens[next].Next)
		if i == next || end == 0 || i < end {
			return next, name, true
		}
		next = end
	}
	return 0, "", false
}
