// Package databindtest is what the tests of the formats of Jackson's family have in common.
package databindtest

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/internal/databind"
	"github.com/duequeue/duequeue/codecs/internal/token"
)

// Hostile are the limits under which hostile payloads are tried.
var Hostile = codecs.Limits{Elements: 1 << 12, Depth: 64}.WithDefaults()

// Row is one value that Java wrote.
type Row struct {
	Release, Codec, Where, Sample string
	Payload                       []byte
}

// Golden returns what the released jars wrote, those that differ between releases for
// each: the rows of the folder's files that are named by a release.
func Golden(tb codectest.TB, folder string) []Row {
	tb.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "testdata", "[0-9]*.tsv"))
	if err != nil || len(files) < 8 {
		tb.Fatalf("files of %s: %d, %v", folder, len(files), err)
	}
	var all []Row
	for _, path := range files {
		for _, c := range codectest.Rows(tb, path) {
			if strings.HasPrefix(c[3], "WRITEFAIL") {
				continue
			}
			all = append(all, Row{strings.TrimSuffix(filepath.Base(path), ".tsv"), c[0], c[1], c[2], codectest.FromHex(tb, c[3])})
		}
	}
	return all
}

// Seeder is a fuzz target that takes seeds.
type Seeder interface {
	codectest.TB
	Add(args ...any)
}

// Seed adds some rows of the jars, and more.
func Seed(f Seeder, more [][]byte) {
	f.Helper()
	for i, row := range Golden(f, ".") {
		if i%7 == 0 && len(row.Payload) < 4000 {
			f.Add(row.Payload)
		}
	}
	for _, seed := range more {
		f.Add(seed)
	}
}

// Try reads a payload that may be anything by codecs, the first of them into a map too:
// it takes memory for its bytes only, errors are typed, and what was read is written.
func Try(tb codectest.TB, payload []byte, all ...codecs.Codec) {
	tb.Helper()
	for _, codec := range all {
		codectest.Allocates(tb, payload, func() { _, _ = codec.Decode(payload) })
		codectest.Stable(tb, codec, payload)
	}
	maps := codectest.Typed[map[string]any](tb, all[0])
	m, err := maps.Decode(payload)
	if err != nil {
		codectest.Refused(tb, all[0], payload, err)
		return
	}
	var e *codecs.EncodeError
	if _, err = maps.Encode(m); err != nil && !errors.As(err, &e) {
		tb.Fatalf("%x: untyped error %v", payload, err)
	}
}

// Tape returns the tokens that a codec of the family reads from a payload.
func Tape(c codecs.Codec, payload []byte, lim codecs.Limits) (*token.Tape, error) {
	t := new(token.Tape)
	err := c.(*databind.Codec).Tape(new(token.Builder), t, payload, token.Structure(lim.WithDefaults()))
	return t, err
}

// Show shows the tokens of a tape.
func Show(t *token.Tape) string {
	s := make([]string, len(t.Tokens))
	for i := range t.Tokens {
		s[i] = show(t, &t.Tokens[i])
	}
	return strings.Join(s, " ")
}

func show(t *token.Tape, k *token.Token) string {
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
