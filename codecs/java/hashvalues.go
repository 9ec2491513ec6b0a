package java

import (
	"math/big"

	"github.com/duequeue/duequeue/codecs/internal/keyorder"
)

func (b *BitSet) hashCode() int32 {
	h := uint64(1234)
	for i, w := range b.Words {
		h ^= w * uint64(i+1)
	}
	return keyorder.Hash64(h)
}

// bigHash is BigInteger.hashCode: over the magnitude as ints, highest first.
func bigHash(n *big.Int) int32 {
	if n == nil {
		return 0
	}
	var h int32
	bytes := n.Bytes()
	for at := 0; at < len(bytes); {
		end := at + 4
		if at == 0 && len(bytes)%4 != 0 {
			end = len(bytes) % 4
		}
		var word uint32
		for _, b := range bytes[at:end] {
			word = word<<8 | uint32(b)
		}
		h, at = 31*h+int32(word), end
	}
	return h * int32(n.Sign())
}
