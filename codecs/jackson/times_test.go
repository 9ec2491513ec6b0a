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
	types := map[string]twin{
		"Date": twinOf[java.Date], "Instant": twinOf[java.Instant], "Duration": twinOf[java.Duration], "LocalDate": twinOf[java.LocalDate],
		"LocalTime": twinOf[java.LocalTime], "LocalDateTime": twinOf[java.LocalDateTime], "Year": twinOf[java.Year],
		"YearMonth": twinOf[java.YearMonth], "OffsetDateTime": twinOf[java.OffsetDateTime], "OffsetTime": twinOf[java.OffsetTime],
	}
	for _, row := range rows(t, "edges.tsv", 55) {
		got, err := types[row[1]](twinCodec(row[0], "4.7.0"), []byte(row[2]))
		if want := row[3]; (err != nil) != (want == "refused") || err == nil && string(got) != want {
			t.Errorf("%s %s: %s, %v, want %s", row[0], row[2], got, err, want)
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
