package jackson_test

import (
	"bytes"
	"encoding/json"
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
		if row.codec != codec || row.failed != "" || len(row.payload) > 3000 {
			continue
		}
		if n++; n%7 == 0 || strings.HasPrefix(row.sample, "POJO") {
			f.Add(row.payload)
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

// fuzzCodec is the body of the fuzz targets of codecs for the golden beans.
func fuzzCodec(f *testing.F, name string, c codecs.Codec) {
	f.Helper()
	addSeeds(f, name)
	order, err := codecs.For[goldenOrder](c, codecs.BindOptions{})
	if err != nil {
		f.Fatal(err)
	}
	times, err := codecs.For[goldenTimes](c, codecs.BindOptions{})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, payload []byte) {
		codectest.Allocates(t, payload, func() {
			checkError[*codecs.DecodeError](t, second(order.Decode(payload)))
			if v, err := times.Decode(payload); err == nil {
				checkError[*codecs.EncodeError](t, second(times.Encode(v)))
			} else {
				checkError[*codecs.DecodeError](t, err)
			}
		})
		v, err := c.Decode(payload)
		if checkError[*codecs.DecodeError](t, err); err != nil {
			return
		}
		once, err := c.Encode(v)
		if checkError[*codecs.EncodeError](t, err); err != nil {
			return // such as a BigDecimal of a huge scale
		}
		again, err := c.Decode(once)
		if err != nil {
			t.Fatalf("we cannot read what we wrote: %v\n%s\n%s", err, payload, once)
		}
		if twice, err := c.Encode(again); err != nil || !bytes.Equal(once, twice) {
			t.Fatalf("%v\nonce  %s\ntwice %s", err, once, twice)
		}
	})
}

// These: no payload makes a codec panic or take more memory than its bytes justify,
// every error is typed, and what was decoded is written in a stable way.

func FuzzTypedJsonJackson(f *testing.F) {
	fuzzCodec(f, "TypedJsonJacksonCodec", jackson.TypedJsonJackson(hostile))
}

func FuzzJsonJackson3(f *testing.F) {
	fuzzCodec(f, "JsonJackson3Codec", jackson.JsonJackson3(hostile, jackson.EnumTexts("demo.Types$Grade", gradeTexts)))
}

func FuzzTypedJsonJackson3(f *testing.F) {
	fuzzCodec(f, "TypedJsonJackson3Codec", jackson.TypedJsonJackson3(hostile))
}

func FuzzJavaTime(f *testing.F) {
	fuzzCodec(f, "JsonJacksonCodec+JavaTime", jackson.JsonJackson(hostile, jackson.JavaTime()))
}

func FuzzDatesAsText(f *testing.F) {
	fuzzCodec(f, "JsonJacksonCodec+DatesAsText", jackson.JsonJackson(hostile, jackson.DatesAsText()))
}

// FuzzJSON: the codec of plain JSON takes nothing that encoding/json does not, and makes
// the same of it.
func FuzzJSON(f *testing.F) {
	addSeeds(f, "TypedJsonJackson3Codec")
	c := jackson.JSON(hostile)
	typed, err := codecs.For[taggedOrder](c, codecs.BindOptions{})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, payload []byte) {
		var got taggedOrder
		var err error
		codectest.Allocates(t, payload, func() { got, err = typed.Decode(payload) })
		if checkError[*codecs.DecodeError](t, err); err == nil {
			var want taggedOrder
			d := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(payload, []byte("\xef\xbb\xbf"))))
			d.UseNumber()
			if err := d.Decode(&want); err != nil {
				t.Fatalf("encoding/json: %v", err)
			}
			ours, err := typed.Encode(got)
			if err != nil {
				t.Fatal(err)
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

// TestHostile: payloads that mean harm cost little, whatever the codec.
func TestHostile(t *testing.T) {
	deep := strings.Repeat("[", 100_000)
	wide := "[" + strings.Repeat("0,", 1<<20) + "0]"
	payloads := append([]string{deep, strings.Repeat(`{"a":`, 100_000), strings.Repeat(`["java.util.ArrayList",`, 100_000), wide, `"` + strings.Repeat("\\u0041", 1<<16)}, hostileTexts...)
	full := string(golden(t, "4.7.0")[0].payload)
	for i := range full {
		payloads = append(payloads, full[:i])
	}
	for name, codec := range map[string]codecs.Codec{
		"typed": jackson.TypedJsonJackson(hostile), "3": jackson.JsonJackson3(hostile), "typed3": jackson.TypedJsonJackson3(hostile),
		"json": jackson.JSON(hostile), "times": jackson.JsonJackson(hostile, jackson.JavaTime()),
	} {
		t.Run(name, func(t *testing.T) {
			for _, p := range payloads {
				codectest.Allocates(t, []byte(p), func() {
					if _, err := codec.Decode([]byte(p)); err != nil {
						checkError[*codecs.DecodeError](t, err)
					} else if len(p) > 1<<16 {
						t.Errorf("%s: %.60q is taken", name, p)
					}
				})
			}
		})
	}
}
