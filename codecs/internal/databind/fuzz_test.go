package databind_test

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	cborlib "github.com/fxamacker/cbor/v2"
	msgpacklib "github.com/vmihailenco/msgpack/v5"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/cbor"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/internal/databind/databindtest"
	"github.com/duequeue/duequeue/codecs/internal/token"
	"github.com/duequeue/duequeue/codecs/ion"
	"github.com/duequeue/duequeue/codecs/jackson"
	"github.com/duequeue/duequeue/codecs/msgpack"
	"github.com/duequeue/duequeue/codecs/smile"
)

// hostile are the limits under which hostile payloads are tried.
var (
	hostile = codecs.Limits{Elements: 1 << 12, Depth: 64}.WithDefaults()
	limited = jackson.Limits(hostile)
	old     = jackson.Since("3.8.1")
	newest  = jackson.Since("4.7.0")
)

// fuzz reads payloads that may be anything by codecs of one format, into a map by the first
// of them too: they take memory for their bytes only, errors are typed, and what was read is
// written. What stands on a tape is well-formed, and also says what else holds for it.
func fuzz(f *testing.F, folder string, seeds []string, also func(t *testing.T, c codecs.Codec, payload []byte), all ...codecs.Codec) {
	f.Helper()
	for i, row := range databindtest.Golden(f, "../../"+folder) {
		if i%7 == 0 && len(row.Payload) < 4000 {
			f.Add(row.Payload)
		}
	}
	for _, seed := range seeds {
		f.Add(codectest.FromHex(f, seed))
	}
	maps := codectest.Typed[map[string]any](f, all[0])
	f.Fuzz(func(t *testing.T, payload []byte) {
		for _, c := range all {
			var tape *token.Tape
			var err error
			codectest.Allocates(t, payload, func() { tape, err = databindtest.Tape(c, payload, hostile) })
			if err == nil {
				if err = checkTape(tape); err != nil {
					t.Fatal(err)
				}
				also(t, c, payload)
			}
			codectest.Allocates(t, payload, func() { _, _ = c.Decode(payload) })
			codectest.Stable(t, c, payload)
		}
		m, err := maps.Decode(payload)
		if err != nil {
			codectest.Refused(t, all[0], payload, err)
			return
		}
		var e *codecs.EncodeError
		if _, err = maps.Encode(m); err != nil && !errors.As(err, &e) {
			t.Fatalf("%x: untyped error %v", payload, err)
		}
	})
}

// column returns the payloads in a column of a table.
func column(f *testing.F, file string, at int) (all []string) {
	f.Helper()
	for _, row := range codectest.Rows(f, "../../"+file) {
		all = append(all, row[at])
	}
	return all
}

// FuzzCBOR: what is read is well-formed, as a library sees it too.
func FuzzCBOR(f *testing.F) {
	theirs := codectest.Must(cborlib.DecOptions{MaxNestedLevels: 65535, MaxArrayElements: 1 << 30, MaxMapPairs: 1 << 30}.DecMode())(f)
	fuzz(f, "cbor", column(f, "cbor/testdata/accepts-4.7.0.tsv", 1), func(t *testing.T, c codecs.Codec, payload []byte) {
		var behind *cborlib.ExtraneousDataError
		if err := theirs.Wellformed(payload); err != nil && (c.Name() == cbor.Name3 || !errors.As(err, &behind)) {
			t.Fatalf("%x was read, and the library says %v", payload, err)
		}
	}, cbor.Jackson(limited), cbor.Jackson(limited, old), cbor.Jackson(limited, newest), cbor.Jackson3(limited))
}

// FuzzMsgPack: what is read is well-formed, as a library sees it too, and ends where it does
// for the library, which takes no memory to step over a value.
func FuzzMsgPack(f *testing.F) {
	fuzz(f, "msgpack", column(f, "msgpack/testdata/accepts-4.7.0.tsv", 1), func(t *testing.T, c codecs.Codec, payload []byte) {
		rest := bytes.NewReader(payload)
		if err := msgpacklib.NewDecoder(rest).Skip(); err != nil {
			t.Fatalf("%x was read, and the library says %v", payload, err)
		}
		var behind *codecs.DecodeError
		_, err := databindtest.Tape(codecs.Whole(c), payload, hostile)
		if end := len(payload) - rest.Len(); (err != nil) != (rest.Len() > 0) || errors.As(err, &behind) && behind.Offset != end {
			t.Fatalf("%x: %v, for the library it ends at %d", payload, err, end)
		}
	}, msgpack.Jackson(limited), msgpack.Jackson(limited, old), msgpack.Jackson(limited, newest))
}

func FuzzSmile(f *testing.F) {
	fuzz(f, "smile", []string{
		"3a290a02 f8 416161 01 ec00 bf" + strings.Repeat("61", 65) + "02 f9", "3a290a04 fd820102", "c4ff",
		"3a290a01 f8 fa 346162fcc6 fb fa 40c8 fb f9", "3a290a01 84 eda0bdedb880", "26810005", "2a80810005", "287b7c000000",
		"fa8061c43000c6fb", "e8870000000000000000", "250000000081", "240f7f7f7fbf",
	}, func(*testing.T, codecs.Codec, []byte) {}, smile.Jackson(limited), smile.Jackson3(limited))
}

func FuzzIon(f *testing.F) {
	seeds := append(column(f, "ion/testdata/tokens.tsv", 0), strings.Repeat("5b", 5000))
	fuzz(f, "ion", seeds, func(*testing.T, codecs.Codec, []byte) {}, ion.Jackson(limited), ion.Jackson(limited, newest), ion.Jackson3(limited))
}

// showTape shows the tokens of a tape.
func showTape(t *token.Tape) string {
	s := make([]string, len(t.Tokens))
	for i := range t.Tokens {
		s[i] = showToken(t, &t.Tokens[i])
	}
	return strings.Join(s, " ")
}

func showToken(t *token.Tape, k *token.Token) string {
	switch k.Kind {
	case token.Key:
		if k.Flags&token.FlagInt != 0 {
			return fmt.Sprintf("key:%d", k.Int())
		}
		return fmt.Sprintf("key:%q", t.Text(k))
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
	}
	return "?"
}

// checkTape holds a tape to its own rules: what is within a container stands right
// behind it, and is counted.
func checkTape(t *token.Tape) error {
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
