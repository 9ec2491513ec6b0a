// Package databindtest is what the tests of the formats of Jackson's family have in common.
package databindtest

import (
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/internal/databind"
	"github.com/duequeue/duequeue/codecs/internal/token"
)

// Hostile are the limits under which hostile payloads are tried.
var Hostile = codecs.Limits{Elements: 1 << 12, Depth: 64}.WithDefaults()

// Rows reads a table of testdata, by columns.
func Rows(tb testing.TB, path string) [][]string {
	tb.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	var out [][]string
	for line := range strings.Lines(string(raw)) {
		if f := strings.Split(strings.TrimSuffix(line, "\n"), "\t"); len(f) > 1 && !strings.HasPrefix(line, "#") {
			out = append(out, f)
		}
	}
	return out
}

// Row is one value that Java wrote.
type Row struct {
	Release, Codec, Where, Sample string
	Payload                       []byte
}

// Golden returns what the released jars wrote, those that differ between releases for
// each: the rows of the folder's files that are named by a release.
func Golden(tb testing.TB, folder string) []Row {
	tb.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "testdata", "[0-9]*.tsv"))
	if err != nil || len(files) < 8 {
		tb.Fatalf("files of %s: %d, %v", folder, len(files), err)
	}
	var all []Row
	for _, path := range files {
		for _, c := range Rows(tb, path) {
			if strings.HasPrefix(c[3], "WRITEFAIL") {
				continue
			}
			payload, err := hex.DecodeString(c[3])
			if err != nil {
				tb.Fatalf("%s: %v", c[3], err)
			}
			all = append(all, Row{strings.TrimSuffix(filepath.Base(path), ".tsv"), c[0], c[1], c[2], payload})
		}
	}
	return all
}

// Fuzz is a fuzz target of codecs of one format: each seventh row of the jars is a seed.
func Fuzz(f *testing.F, seeds [][]byte, all ...codecs.Codec) {
	f.Helper()
	for i, row := range Golden(f, ".") {
		if i%7 == 0 && len(row.Payload) < 4000 {
			f.Add(row.Payload)
		}
	}
	for _, seed := range seeds {
		f.Add(seed)
	}
	maps := codectest.Typed[map[string]any](f, all[0])
	f.Fuzz(func(t *testing.T, payload []byte) {
		for _, codec := range all {
			codectest.Allocates(t, payload, func() { _, _ = codec.Decode(payload) })
			codectest.Stable(t, codec, payload)
		}
		m, err := maps.Decode(payload)
		var d *codecs.DecodeError
		if err != nil && !errors.As(err, &d) {
			t.Fatalf("%x: untyped error %v", payload, err)
		}
		var e *codecs.EncodeError
		if _, err = maps.Encode(m); err != nil && !errors.As(err, &e) {
			t.Fatalf("%x: untyped error %v", payload, err)
		}
	})
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
	case token.Null:
		return "null"
	case token.Bool:
		return fmt.Sprint(k.Bool())
	case token.Int:
		return fmt.Sprint(k.Int())
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
	if k.Flags&token.FlagInt != 0 {
		return fmt.Sprintf("key:%d", k.Int())
	}
	return fmt.Sprintf("key:%q", t.Text(k))
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
