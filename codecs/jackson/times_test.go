package jackson_test

import (
	"errors"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/jackson"
	"github.com/duequeue/duequeue/codecs/java"
)

// TestTimesAtTheEdge: the least and the largest values of Java's classes, as Redisson
// 4.7.0 wrote them, come back to the byte; what is beyond is refused.
func TestTimesAtTheEdge(t *testing.T) {
	t.Parallel()
	const text, numbers, three = "TypedJsonJacksonCodec+DatesAsText", "TypedJsonJacksonCodec+JavaTime", "TypedJsonJackson3Codec"
	date, instant, duration := twinOf[java.Date], twinOf[java.Instant], twinOf[java.Duration]
	for _, c := range []struct {
		codec   string
		try     twin
		payload string
	}{
		{three, date, `"+292278994-08-17T07:12:55.807Z"`},
		{three, date, `"-292269054-12-02T16:47:04.192Z"`},
		{three, date, `"1582-10-15T00:00:00.000Z"`},
		{three, date, `"1582-10-04T23:59:59.999Z"`}, // the day before
		{three, date, `"+0000-01-03T00:00:00.000Z"`},
		{three, date, `"-0001-12-31T23:59:59.999Z"`},
		{text, date, `"-292269054-12-02T16:47:04.192+00:00"`},
		{three, instant, `"+1000000000-12-31T23:59:59.999999999Z"`},
		{three, instant, `"-1000000000-01-01T00:00:00Z"`},
		{numbers, instant, `31556889864403199.999999999`},
		{numbers, instant, `-31557014167219200.000000000`},
		{three, twinOf[java.LocalDateTime], `"+999999999-12-31T23:59:59.999999999"`},
		{numbers, twinOf[java.LocalDateTime], `[-999999999,1,1,0,0]`},
		{three, twinOf[java.LocalDate], `"-999999999-01-01"`},
		{numbers, twinOf[java.LocalDate], `[999999999,12,31]`},
		{three, duration, `"PT2562047788015215H30M7.999999999S"`},
		{three, duration, `"PT-2562047788015215H-30M-7.999999999S"`},
		{three, duration, `"PT-1M"`},
		{three, duration, `"PT-1M-0.999999995S"`},
		{three, duration, `"PT-0.999999999S"`},
		{three, duration, `"PT0S"`},
		{three, duration, `"PT24H"`},
		{three, duration, `"PT1H0.5S"`},
		{three, duration, `"PT0.000000001S"`},
		{numbers, duration, `9223372036854775807.999999999`},
		{numbers, duration, `-9223372036854775807.999999999`},
		{numbers, duration, `0.0`},
		{three, twinOf[java.Year], `999999999`},
		{text, twinOf[java.Year], `"-999999999"`},
		{three, twinOf[java.YearMonth], `"-999999999-01"`},
		{numbers, twinOf[java.YearMonth], `[-999999999,1]`},
		{three, twinOf[java.OffsetDateTime], `"+999999999-12-31T23:59:59.999999999-18:00"`},
		{numbers, twinOf[java.OffsetDateTime], `-31557014135661600.000000000`},
	} {
		if got, err := c.try(twinCodecs[c.codec](), []byte(c.payload)); err != nil || string(got) != c.payload {
			t.Errorf("%s %s: %s, %v", c.codec, c.payload, got, err)
		}
	}
	for payload, want := range map[string]string{`"P2D"`: `"PT48H"`, `"-PT1H"`: `"PT-1H"`, `"P1DT-1H"`: `"PT23H"`, `"-PT-0.5S"`: `"PT0.5S"`} {
		if got, err := duration(twinCodecs[three](), []byte(payload)); err != nil || string(got) != want {
			t.Errorf("%s: %s, %v, want %s", payload, got, err, want)
		}
	}
	for payload, try := range map[string]twin{
		`"P"`: duration, `"PT"`: duration, `"T1H"`: duration, `"1H"`: duration, `"PT1"`: duration, `"PT1.0000000001S"`: duration, `"P1H"`: duration,
		`"+292278995-01-01T00:00:00.000Z"`: date, `"-292279000-01-01T00:00:00.000Z"`: date, `"+1000000001-01-01T00:00:00Z"`: instant,
		`31556889864403200.0`: instant, `1e60`: instant, `"PT2562047788015216H"`: duration, `"P106751991167301D"`: duration,
		`"2024-02-30"`: twinOf[java.LocalDate], `"+1000000000-01-01"`: twinOf[java.LocalDate], `"24:00"`: twinOf[java.LocalTime], `"10:00+19:00"`: twinOf[java.OffsetTime],
	} {
		if got, err := try(twinCodecs[three](), []byte(payload)); err == nil {
			t.Errorf("%s is taken as %s", payload, got)
		}
	}
}

// TestSecondsOfManyDigits: a scale below -63 is zero, as jsr310 has it, and is not written with
// thousands of digits.
func TestSecondsOfManyDigits(t *testing.T) {
	t.Parallel()
	c := jackson.JsonJackson(jackson.Mapper{Dates: jackson.Timestamps})
	for payload, want := range map[string]string{
		`["java.util.ArrayList",[["java.time.Instant",1700000000.1234E6789]]]`: `["java.util.ArrayList",[["java.time.Instant",0.0]]]`,
		`["java.util.ArrayList",[["java.time.Duration",1E64]]]`:                `["java.util.ArrayList",[["java.time.Duration",0.0]]]`,
		`["java.util.ArrayList",[["java.time.Duration",1.5]]]`:                 `["java.util.ArrayList",[["java.time.Duration",1.5]]]`,
	} {
		v, err := c.Decode([]byte(payload))
		if err != nil {
			t.Fatalf("%s: %v", payload, err)
		}
		if out, err := c.Encode(v); err != nil || string(out) != want {
			t.Errorf("%s becomes %s, %v; want %s", payload, out, err, want)
		}
	}
	var bad *codecs.DecodeError
	if v, err := c.Decode([]byte(`["java.util.ArrayList",[["java.time.LocalDate",1E6789]]]`)); !errors.As(err, &bad) {
		t.Errorf("a date that is such a number: %v, %v", v, err)
	}
}
