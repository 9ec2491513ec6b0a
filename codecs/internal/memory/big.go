package memory

import (
	"math/big"
	"math/bits"
)

// smallInt is a big number of one word together with its word: one allocation.
type smallInt struct {
	v    big.Int
	word [1]big.Word
}

// Big returns v as a big number.
func Big(v int64) *big.Int {
	if bits.UintSize < 64 {
		return big.NewInt(v)
	}
	small := &smallInt{}
	small.word[0] = big.Word(uint64(v))
	if v < 0 {
		small.word[0] = -small.word[0]
	}
	small.v.SetBits(small.word[:])
	if v < 0 {
		small.v.Neg(&small.v)
	}
	return &small.v
}
