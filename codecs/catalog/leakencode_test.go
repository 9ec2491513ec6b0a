package catalog_test

import (
	"errors"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/java"
)

// unwritable are values with a secret that some codec or other cannot write.
func unwritable() []any {
	list := func(class string, of ...any) *java.List { return &java.List{Class: class, Elements: of} }
	entries := func(class string, keys ...any) *java.Map {
		m := &java.Map{Class: class}
		for _, k := range keys {
			m.Entries = append(m.Entries, java.Entry{Key: k, Value: secretText})
		}
		return m
	}
	cyclic := list(java.ClassArrayList, secretText)
	cyclic.Elements = append(cyclic.Elements, cyclic)
	enum := java.Enum{Class: "demo.Kind", Name: secretText, Ordinal: -1}
	return []any{
		map[string]any{"a": secretText, "b": make(chan int)},
		map[string]any{secretText: func() {}},
		map[string]any{secretText: secretText + "\xff"},
		map[string]any{hostileText: []any{secretText + "\xff"}},
		map[int64]any{secretNumber: make(chan int)},
		map[any]any{secretText: 1, int64(secretNumber): 2},
		secretText + "\xff",
		[]any{complex(secretNumber, 1)},
		[]any{quoting{secretText}},
		quoting{secretText},
		secretBean{Name: secretText + "\xff"},
		errors.New(secretText), &java.UnhashableError{},
		list("java.util.HashSet", secretText, secretText), list("java.util.TreeSet", secretText, int64(secretNumber)),
		list("java.util.TreeSet", "b"+secretText, secretText), list("java.util.ArrayDeque", secretText, nil),
		list("java.util.EnumSet", enum, secretText), list("[I", secretText), list("no.Such"+hostileText, secretText), list("demo.No", secretText), cyclic,
		entries("java.util.HashMap", secretText, secretText), entries("java.util.TreeMap", secretText, nil, int64(secretNumber)),
		entries("java.util.concurrent.ConcurrentHashMap", secretText, nil), entries("java.util.EnumMap", enum, secretText),
		entries("java.util.HashMap", list(java.ClassArrayList, secretText), []byte(secretText), big.NewInt(secretNumber), int64(secretNumber)),
		&java.Object{Class: "demo.Secret", Fields: []java.Field{{Name: "name", Value: secretText}, {Name: secretText, Value: make(chan int)}}},
		&java.Object{Class: hostileText, Fields: []java.Field{{Name: hostileText, Value: secretText}}},
		&java.Object{Fields: []java.Field{{Name: "name", Value: secretText}}},
		enum,
		java.Enum{Class: hostileText, Name: secretText},
		java.Enum{Name: secretText},
		java.Enum{Class: "demo.Kind", Ordinal: 1 << 20},
		java.Text{Class: "no.Such", Value: secretText},
		java.Text{Value: secretText},
		java.Text{Class: "java.util.Currency", Value: secretText},
		java.Text{Class: "sun.nio.cs.UTF_8", Value: secretText},
		java.ClassRef(hostileText),
		java.Pattern{Regex: secretText + "\xff", Flags: -1},
		java.Locale{Language: secretText, Country: secretText, Variant: "\xff", Script: secretText, Extensions: secretText},
		java.ZonedDateTime{Date: java.LocalDate{Year: 999999999, Month: 77, Day: 99}, Zone: secretText},
		java.LocalDate{Year: 917326485, Month: 13},
		java.LocalTime{Hour: 99},
		java.Instant{Seconds: secretNumber, Nanos: -1},
		java.Date{Class: "java.sql.No", Millis: secretNumber, Nanos: 917326485},
		java.Calendar{Class: "no.Such", Zone: secretText, Millis: secretNumber},
		java.BigDecimal{Unscaled: big.NewInt(secretNumber), Scale: -1 << 31},
		java.BigDecimal{Unscaled: new(big.Int).Lsh(big.NewInt(secretNumber), 1<<16)},
		java.ZoneOffset(917326485), java.Year(917326485),
		java.Custom{Level: "demo.Secret", Items: []any{secretText}},
		java.RedissonReference{KeyName: secretText + "\xff"},
		java.Duration{Seconds: secretNumber, Nanos: -5},
		uint64(1<<63 + secretNumber), time.Date(917326, 1, 1, 0, 0, 0, 0, time.UTC),
		struct{ Text any }{make(chan string)},
		&struct{ Text any }{quoting{secretText}},
	}
}

// What cannot be written is not quoted either.
func TestNoErrorOfEncodingShowsAValue(t *testing.T) {
	t.Parallel()
	for _, s := range suspects(t) {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			refused := 0
			judge := func(v any, err error) {
				if err == nil {
					return
				}
				refused++
				if found := shownOf(err.Error()); found != "" {
					t.Errorf("%T: shows %q: %.500q", v, found, err.Error())
				}
			}
			for _, v := range unwritable() {
				_, err := s.codec.Encode(v)
				judge(v, err)
				_, err = s.codec.Encode([]any{map[string]any{"a": v}})
				judge(v, err)
				_, err = encodeAs[any](s.codec, v)
				judge(v, err)
				_, err = encodeAs(s.codec, map[string]any{"a": v})
				judge(v, err)
			}
			_, err := encodeAs(s.codec, quoting{secretText})
			judge(quoting{}, err)
			_, err = encodeAs(s.codec, []quoting{{secretText}})
			judge(quoting{}, err)
			_, err = encodeAs(s.codec, map[quoting]int{{secretText}: 1})
			judge(quoting{}, err)
			_, err = encodeAs(s.codec, secretEnum(secretText))
			judge(secretEnum(""), err)
			_, err = encodeAs(s.codec, map[secretEnum]string{secretText: secretText})
			judge(secretEnum(""), err)
			bean := theSecret()
			bean.Name += "\xff"
			_, err = encodeAs(s.codec, bean)
			judge(bean, err)
			_, err = encodeAs(s.codec, map[string]secretBean{secretText: bean})
			judge(bean, err)
			if refused < 10 {
				t.Errorf("%d of the values were refused: nothing was tested", refused)
			}
		})
	}
}

// An error of encoding is one bounded line, as one of decoding is.
func TestEncodeErrorIsOneLine(t *testing.T) {
	t.Parallel()
	err := &codecs.EncodeError{Codec: "kryo5", Path: hostileText, Reason: strings.Repeat("x", 1<<20), Err: errors.New(hostileText)}
	if found := unprintable(err.Error()); found != "" {
		t.Error(found)
	}
}
