package databindtest

import (
	"fmt"
	"strconv"

	"github.com/duequeue/duequeue/codecs/internal/token"
)

// ShowToken shows one token of a tape, for tables of tests.
func ShowToken(t *token.Tape, k *token.Token) string {
	switch k.Kind {
	case token.Null:
		return "null"
	case token.Bool:
		return strconv.FormatBool(k.Bool())
	case token.Int:
		return strconv.FormatInt(k.Int(), 10)
	case token.Big:
		return "big:" + t.Big(k).String()
	case token.Float:
		if k.Flags&token.FlagFloat32 != 0 {
			return fmt.Sprintf("float:%v", t.Float(k))
		}
		return fmt.Sprintf("double:%v", t.Float(k))
	case token.Decimal:
		return "decimal:" + t.Decimal(k).String()
	case token.String:
		return fmt.Sprintf("%q", t.Text(k))
	case token.Bytes:
		return fmt.Sprintf("bytes:%x", t.Text(k))
	case token.Opaque:
		return fmt.Sprintf("ext(%d):%x", int64(k.Num), t.Text(k))
	case token.Array:
		return fmt.Sprintf("array(%d)", k.N)
	case token.Object:
		return fmt.Sprintf("object(%d)", k.N)
	case token.Key:
		if k.Flags&token.FlagInt != 0 {
			return fmt.Sprintf("key:%d", k.Int())
		}
		return fmt.Sprintf("key:%q", t.Text(k))
	}
	return "?"
}

// CheckTape holds a tape to its own rules: what is within a container stands right
// behind it, and is counted.
func CheckTape(t *token.Tape) error {
	var check func(i int) (int, error)
	check = func(i int) (next int, err error) {
		k := &t.Tokens[i]
		next = i + 1
		if k.Kind == token.Array || k.Kind == token.Object {
			for range k.N {
				if k.Kind == token.Object {
					if key := &t.Tokens[next]; key.Kind != token.Key || int(key.Next) != next+1 {
						return 0, fmt.Errorf("%x: token %d is no key", t.Payload, next)
					}
					next++
				}
				if next, err = check(next); err != nil {
					return 0, err
				}
			}
		} else {
			t.Text(k)
		}
		if int(k.Next) != next {
			return 0, fmt.Errorf("%x: token %d goes on at %d, not %d", t.Payload, i, k.Next, next)
		}
		return next, nil
	}
	end, err := check(0)
	if err == nil && end != len(t.Tokens) {
		err = fmt.Errorf("%x: %d of %d tokens", t.Payload, end, len(t.Tokens))
	}
	return err
}
