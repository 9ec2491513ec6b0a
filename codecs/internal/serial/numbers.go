package serial

import (
	"errors"
	"math/big"

	"github.com/duequeue/duequeue/codecs/java"
)

// maxMagnitude bounds the bytes of a BigInteger: arithmetic on larger ones, and
// writing them as digits, takes too long.
const maxMagnitude = 64 << 10

func numberShapes() map[string]*shape {
	return map[string]*shape{
		"java.math.BigInteger": {end: endBigInteger, write: writer(writeBigInteger)},
		"java.math.BigDecimal": {end: endBigDecimal, write: writer(writeBigDecimal)},
		"java.util.BitSet":     {begin: func(*Desc) any { return &java.BitSet{} }, end: endBitSet, write: writer(writeBitSet)},
	}
}

func endBigInteger(in *Instance, _ any) (any, error) {
	l := in.own()
	magnitude, ok := l.field("magnitude").([]byte)
	sign, err := l.int32("signum")
	n := new(big.Int)
	switch {
	case err != nil:
		return nil, err
	case !ok:
		return nil, errors.New("field magnitude is no byte[]")
	case len(magnitude) > maxMagnitude:
		return nil, errors.New("the number has more than 64 KiB")
	case sign < -1 || sign > 1:
		return nil, errors.New("its sign is none of -1, 0, 1")
	}
	n.SetBytes(magnitude)
	if (n.Sign() == 0) != (sign == 0) {
		return nil, errors.New("its sign contradicts its magnitude")
	}
	if sign < 0 {
		n.Neg(n)
	}
	return n, nil
}

func writeBigInteger(in *Instance, n *big.Int) error {
	// The four numbers before the sign are what Java writes for "not computed".
	in.own().Fields = []any{int32(-1), int32(-1), int32(-2), int32(-2), int32(n.Sign()), n.Bytes()}
	return nil
}

func endBigDecimal(in *Instance, _ any) (any, error) {
	l := in.own()
	scale, err := l.int32("scale")
	if err != nil {
		return nil, err
	}
	n, ok := l.field("intVal").(*big.Int)
	if !ok {
		return nil, errors.New("field intVal is no BigInteger")
	}
	if n.BitLen() <= 64*8 {
		// A copy: two decimals that share their digits are still two objects.
		n = new(big.Int).Set(n)
	}
	return java.BigDecimal{Unscaled: n, Scale: scale}, nil
}

func writeBigDecimal(in *Instance, d java.BigDecimal) error {
	n := d.Unscaled
	if n == nil {
		n = new(big.Int)
	}
	in.own().Fields = []any{d.Scale, SmallInteger(n)}
	return nil
}

// smallIntegers are the constants of BigInteger.valueOf.
var smallIntegers = func() (out [33]*big.Int) {
	for i := range out {
		out[i] = big.NewInt(int64(i) - 16)
	}
	return out
}()

// SmallInteger returns the one *big.Int that stands for Java's cached BigInteger
// of that value, which all decimals with few digits share; others get one of
// their own.
func SmallInteger(n *big.Int) *big.Int {
	if n.IsInt64() {
		if v := n.Int64(); v >= -16 && v <= 16 {
			return smallIntegers[v+16]
		}
	}
	return new(big.Int).Set(n)
}

func endBitSet(in *Instance, value any) (any, error) {
	words, ok := in.own().field("bits").([]int64)
	if !ok {
		return nil, errors.New("field bits is no long[]")
	}
	if err := in.charge(len(words)); err != nil {
		return nil, err
	}
	set := value.(*java.BitSet)
	set.Words = make([]uint64, 0, len(words))
	for _, w := range words {
		set.Words = append(set.Words, uint64(w))
	}
	return set, nil
}

// writeBitSet leaves the empty words at the end out, as Java does.
func writeBitSet(in *Instance, set *java.BitSet) error {
	n := len(set.Words)
	for n > 0 && set.Words[n-1] == 0 {
		n--
	}
	words := make([]int64, n)
	for i := range words {
		words[i] = int64(set.Words[i])
	}
	in.own().Fields = []any{words}
	return nil
}
