package smile_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/big"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/jackson"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/smile"
)

// readers are the codecs that payloads of all kinds are tried on.
func readers(lim codecs.Limits) map[string]codecs.Codec {
	return map[string]codecs.Codec{
		smile.Name:  smile.Jackson(jackson.Limits(lim)),
		smile.Name3: smile.Jackson3(jackson.Limits(lim)),
	}
}

// TestDecode reads what Java reads, though it writes otherwise. All of it was given to
// Jackson 2.9.6 to 2.21.3 and 3.1.3, too.
func TestDecode(t *testing.T) {
	deep := strings.Repeat("f8", 300) + strings.Repeat("f9", 300)
	for name, row := range map[string]struct {
		hex  string
		want any
	}{
		"no header":                    {"c4", int32(2)},
		"null":                         {"3a290a01 21", nil},
		"no header, shared names":      {"f8 fa8061c4fb fa40c6fb f9", maps("a", int32(2), int32(3))},
		"nothing shared":               {"3a290a00 f8 fa8061c4fb fa8061c6fb f9", maps("a", int32(2), int32(3))},
		"strings without back ref":     {"3a290a02 f8 416161 01 ec00 f9", []any{"aa", "aa", "aa"}},
		"string of 65 bytes":           {"3a290a02 f8 bf" + strings.Repeat("61", 65) + " 01 f9", []any{strings.Repeat("a", 65), strings.Repeat("a", 65)}},
		"name without need in 10 bits": {"3a290a01 fa 8061c4 8062c4 3001c6 fb", maps1("a", int32(2), "b", int32(3))},
		"short name as a long one":     {"3a290a01 f8 fa 346162fcc6 fb fa 40c8 fb f9", maps("ab", int32(3), int32(4))},
		"name in ASCII as UTF-8":       {"3a290a01 fa c06162 c6 fb", maps1("ab", int32(3))},
		"empty name":                   {"3a290a01 fa 20 c6 fb", maps1("", int32(3))},
		"the last member counts":       {"3a290a01 fa 8061 c4 40 c6 fb", maps1("a", int32(3))},
		"raw bytes":                    {"3a290a04 fd820102", []byte{1, 2}},
		"raw bytes unannounced":        {"3a290a00 fd820102", []byte{1, 2}},
		"end marker":                   {"3a290a01 c4 ff", int32(2)},
		"int not in its shortest form": {"3a290a01 24 00 01 84", int32(34)},
		"smallest int":                 {"3a290a01 24 1f 7f 7f 7f bf", int32(-1 << 31)},
		"long within 32 bits":          {"3a290a01 25 00 00 00 00 81", int64(-1)},
		"long of 11 bytes":             {"3a290a01 25 00 03 7f 7f 7f 7f 7f 7f 7f 7f bf", int64(-1 << 63)},
		"big integer that is small":    {"3a290a01 26 81 02 01", big.NewInt(5)},
		"big integer of no bytes":      {"3a290a01 26 80", new(big.Int)},
		"big integer with zeros":       {"3a290a01 26 82 00 00 01", big.NewInt(1)},
		"decimal of no bytes":          {"3a290a01 2a 85 80", java.BigDecimal{Unscaled: new(big.Int)}},
		"float of Jackson 2.18":        {"3a290a01 28 7b 7c 00 00 00", float32(-1)},
		"float of Jackson 2.19":        {"3a290a01 28 0b 7c 00 00 00", float32(-1)},
		"string of no bytes":           {"3a290a01 e0 fc", ""},
		"unicode as surrogates":        {"3a290a01 84 eda0bdedb880", "😀"},
		"lone surrogate":               {"3a290a01 81 eda0bd", "\xed\xa0\xbd"},
		"surrogates not in pairs":      {"3a290a01 e4 edb880 eda0bd 61 fc", "\xed\xb8\x80\xed\xa0\xbda"},
		"nested":                       {deep, nil},
	} {
		for codec, c := range readers(codecs.Limits{Depth: 400}) {
			v, err := c.Decode(codectest.FromHex(t, row.hex))
			if kind := reflect.ValueOf(row.want).Kind(); codec == smile.Name && (kind == reflect.Map || kind == reflect.Slice) {
				continue // without a class these are values of another kind
			}
			if err != nil {
				t.Errorf("%s %s: %v", codec, name, err)
				continue
			}
			if got := java.Plain(v); name != "nested" && !reflect.DeepEqual(got, row.want) {
				t.Errorf("%s %s: %#v, want %#v", codec, name, got, row.want)
			}
		}
	}
}

func maps(name string, values ...any) []any {
	var all []any
	for _, v := range values {
		all = append(all, map[string]any{name: v})
	}
	return all
}

func maps1(pairs ...any) map[string]any {
	m := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i].(string)] = pairs[i+1]
	}
	return m
}

// TestTrailing: Jackson 2 does not look behind the value, Jackson 3 takes only what
// ends or begins a payload.
func TestTrailing(t *testing.T) {
	for tail, ok := range map[string]bool{"": true, "ff": true, "ffc4": true, "3a290a01": true, "3a290a01c4": true, "3a290a11": false, "3a": false, "c4": false, "00": false} {
		payload := codectest.FromHex(t, "3a290a01c4"+tail)
		if v, err := smile.Jackson().Decode(payload); v != int32(2) || err != nil {
			t.Errorf("Jackson 2, %s: %v, %v", tail, v, err)
		}
		if _, err := smile.Jackson3().Decode(payload); (err == nil) != ok {
			t.Errorf("Jackson 3, %s: %v", tail, err)
		}
	}
}

// TestRefuse: what no Java writes is a DecodeError that says where.
func TestRefuse(t *testing.T) {
	rows := codectest.Rows(t, "testdata/refused.tsv")
	for _, row := range rows {
		for codec, c := range readers(codecs.Limits{}) {
			_, err := c.Decode(codectest.FromHex(t, row[1]))
			var e *codecs.DecodeError
			if !errors.As(err, &e) || e.Codec != codec || strconv.Itoa(e.Offset) != row[2] || !strings.Contains(e.Reason, row[3]) {
				t.Errorf("%s %s: %v, want %q at %s", codec, row[0], err, row[3], row[2])
			}
		}
	}
	if len(rows) < 42 {
		t.Errorf("only %d rows", len(rows))
	}
}

// TestLongNamesAgain: a payload of a size that occurs may repeat long names.
func TestLongNamesAgain(t *testing.T) {
	name := strings.Repeat("long", 25)
	list := make([]any, 10_000)
	for i := range list {
		list[i] = map[string]any{name: int32(i)}
	}
	for codec, c := range readers(codecs.Limits{}) {
		payload := codectest.Must(c.Encode(list))(t)
		if n := bytes.Count(payload, []byte(name)); n != 1 {
			t.Errorf("%s: the name stands there %d times", codec, n)
		}
		if _, err := c.Decode(payload); err != nil {
			t.Errorf("%s: %v", codec, err)
		}
	}
}

// TestManyNames: the table of names does not slow down, and names beyond 1,024 are
// found again as Jackson numbers them.
func TestManyNames(t *testing.T) {
	m := map[string]any{}
	for i := range 20_000 {
		m[fmt.Sprintf("%x", i)] = nil
	}
	for codec, c := range readers(codecs.Limits{}) {
		if codec == smile.Name {
			for k := range m { // it writes no nulls
				m[k] = true
			}
		}
		payload := codectest.Must(c.Encode(m))(t)
		v := codectest.Must(c.Decode(payload))(t)
		if again, err := c.Encode(v); err != nil || !bytes.Equal(again, payload) {
			t.Errorf("%s: other bytes, %v", codec, err)
		}
	}
}
