package jackson_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/jackson"
)

// hostile are limits under which a payload cannot ask for much.
var hostile = jackson.Limits(codecs.Limits{Elements: 4096, Depth: 64})

// addSeeds gives each seventh row of a codec, and payloads that mean harm.
func addSeeds(f *testing.F, codec string) {
	f.Helper()
	n := 0
	for _, row := range golden(f, "4.7.0") {
		if row.Codec != codec || len(row.Payload) > 3000 {
			continue
		}
		if n++; n%7 == 0 || strings.HasPrefix(row.Sample, "POJO") {
			f.Add(row.Payload)
		}
	}
	for _, seed := range hostileTexts {
		f.Add([]byte(seed))
	}
}

var hostileTexts = []string{
	"", "[", `{"a"`, `{"a":1}{}`, `{"a":1,"a":[2]}`, `["java.util.Date","x"]`, `["java.time.LocalDate",[2024,13,1]]`, `["java.time.Instant",1e999999999]`,
	`["java.time.Duration","PT9999999999999999999S"]`, `["java.time.ZonedDateTime","2024-01-02T03:04:05+01:00[Europe/Berlin]"]`,
	`["java.time.OffsetTime",["x"]]`, `["java.time.Year",99999999999]`, `["java.util.UUID","no"]`, `"\ud800"`, `"` + "\xed\xa0\x80" + `"`, "\xef\xbb\xbf1",
	`1e400`, `123456789012345678901234567890`, strings.Repeat("9", 1001), `{"@class":"java.time.LocalDate","year":2024,"month":1,"day":2}`,
	`{"date":[2024,1,2],"time":[25],"instant":1700000000.1234567890123,"duration":"P1D"}`, strings.Repeat("[", 200), strings.Repeat(`{"a":`, 200),
	`1e5000`, `[1e-5000,1e400]`, `["java.util.Optional",["java.util.Optional",1]]`, `["java.time.Month",13]`,
}

// try decodes a payload into a Go type and encodes what it got: errors are typed.
func try[T any](f *testing.F, c codecs.Codec) func(t *testing.T, payload []byte) {
	f.Helper()
	typed := codectest.Typed[T](f, c)
	return func(t *testing.T, payload []byte) {
		v, err := typed.Decode(payload)
		if checkError[*codecs.DecodeError](t, err); err == nil {
			checkError[*codecs.EncodeError](t, second(typed.Encode(v)))
		}
	}
}

// fuzzCodec is a fuzz target of a codec without a Go type and of some.
func fuzzCodec(f *testing.F, c codecs.Codec, tries ...func(t *testing.T, payload []byte)) {
	f.Helper()
	f.Fuzz(func(t *testing.T, payload []byte) {
		codectest.Allocates(t, payload, func() {
			for _, try := range tries {
				try(t, payload)
			}
		})
		codectest.Stable(t, c, payload)
	})
}

// FuzzDecode: no payload makes the decoder panic; every error is a DecodeError;
// what was decoded can be written, and that is stable.
func FuzzDecode(f *testing.F) {
	for _, file := range []string{"json-root-4.7.0.txt", "json-nested-in-ArrayList-4.7.0.txt", "kinds-4.7.0.tsv"} {
		for _, row := range rows(f, file, 90) {
			f.Add([]byte(row[1]))
		}
	}
	for _, row := range rows(f, "json-java-accepts-4.7.0.txt", 80) {
		f.Add([]byte(row[0]))
	}
	for _, seed := range hostileTexts {
		f.Add([]byte(seed))
	}
	c := jackson.JsonJackson(hostile)
	fuzzCodec(f, c, try[map[string]any](f, c), try[kinds](f, c))
}

// fuzzGolden is a fuzz target of a codec for the golden beans.
func fuzzGolden(f *testing.F, name string, c codecs.Codec) {
	f.Helper()
	addSeeds(f, name)
	fuzzCodec(f, c, try[goldenOrder](f, c), try[goldenTimes](f, c))
}

// These: no payload makes a codec panic or take more memory than its bytes justify,
// every error is typed, and what was decoded is written in a stable way.

func FuzzTypedJsonJackson(f *testing.F) {
	fuzzGolden(f, "TypedJsonJacksonCodec", jackson.TypedJsonJackson(hostile))
}

func FuzzJsonJackson3(f *testing.F) {
	fuzzGolden(f, "JsonJackson3Codec", jackson.JsonJackson3(hostile, jackson.EnumTexts("demo.Types$Grade", gradeTexts)))
}

func FuzzTypedJsonJackson3(f *testing.F) {
	fuzzGolden(f, "TypedJsonJackson3Codec", jackson.TypedJsonJackson3(hostile))
}

func FuzzJavaTime(f *testing.F) {
	fuzzGolden(f, "JsonJacksonCodec+JavaTime", jackson.JsonJackson(hostile, jackson.Mapper{Dates: jackson.Timestamps}))
}

func FuzzDatesAsText(f *testing.F) {
	fuzzGolden(f, "JsonJacksonCodec+DatesAsText", jackson.JsonJackson(hostile, jackson.Mapper{Dates: jackson.DateTexts}))
}

// FuzzJSON: the codec of plain JSON makes the same of a payload as encoding/json, where that
// takes it; what it takes beyond that is read again as it is written.
func FuzzJSON(f *testing.F) {
	addSeeds(f, "TypedJsonJackson3Codec")
	for _, seed := range []string{`{"orderId":"5","due":"2024-01-02 03:04:05","items":[{"count":"7"}]}`, `{"due":1704164645123}`, `{"due":"Jan 2, 2024, 3:04:05 AM"}`} {
		f.Add([]byte(seed))
	}
	c := jackson.JSON(hostile)
	typed := codectest.Typed[taggedOrder](f, c)
	f.Fuzz(func(t *testing.T, payload []byte) {
		var got taggedOrder
		var err error
		codectest.Allocates(t, payload, func() { got, err = typed.Decode(payload) })
		if checkError[*codecs.DecodeError](t, err); err == nil {
			var want taggedOrder
			d := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(payload, []byte("\xef\xbb\xbf"))))
			d.UseNumber()
			ours := codectest.Must(typed.Encode(got))(t)
			if err := d.Decode(&want); err != nil { // dates and numbers of Java's libraries
				want = codectest.Must(typed.Decode(ours))(t)
			}
			theirs, err := typed.Encode(want)
			if err != nil || !bytes.Equal(ours, theirs) {
				t.Fatalf("%v\n%s\n%s", err, ours, theirs)
			}
		}
		v, err := c.Decode(payload)
		if checkError[*codecs.DecodeError](t, err); err == nil {
			checkError[*codecs.EncodeError](t, second(c.Encode(v)))
		}
	})
}

func second[T any](_ T, err error) error { return err }

func checkError[E error](t *testing.T, err error) {
	t.Helper()
	var e E
	if err != nil && !errors.As(err, &e) {
		t.Fatalf("%T: %v", err, err)
	}
}
