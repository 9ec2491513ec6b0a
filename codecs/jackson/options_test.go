package jackson_test

import (
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/jackson"
)

// TestOptionMistakes: what a codec cannot do is said at Bind, and nothing is written.
func TestOptionMistakes(t *testing.T) {
	t.Parallel()
	for want, c := range map[string]codecs.Codec{
		"a Mapper is carried by the codecs of Jack": jackson.TypedJsonJackson3(jackson.Mapper{Dates: jackson.DateTexts}),
		"no class given":                             jackson.JsonJackson3(jackson.EnumTexts("", nil)),
		`A and B have the same text "x"`:             jackson.JsonJackson3(jackson.EnumTexts("demo.E", map[string]string{"A": "x", "B": "x"})),
		"has no codec jsonjackson3":                  jackson.JsonJackson3(jackson.Since("3.45.1")),
		"has no codec typedjsonjackson3":             jackson.TypedJsonJackson3(jackson.Since("4.0.0")),
		"has no codec typedjsonjackson, which came ": jackson.TypedJsonJackson(jackson.Since("3.9.1")),
		"it is for plain JSON":                       jackson.JsonJackson3(jackson.ReplaceInvalidUTF8()),
	} {
		_, err := codecs.For[goldenItem](c, codecs.BindOptions{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %q", err, want)
		}
		if payload, err := c.Encode("x"); err == nil {
			t.Errorf("%s: wrote %s", want, payload)
		}
	}
	if depth := jackson.JsonJackson3().Limits().Depth; depth != 500 {
		t.Errorf("Depth is %d, Java reads 500", depth)
	}
	if depth := jackson.TypedJsonJackson3(jackson.Limits(codecs.Limits{Bytes: 9})).Limits().Depth; depth != 500 {
		t.Errorf("Depth is %d, Java reads 500", depth)
	}
}

// TestTimesInAnyForm: into Go types java.time is read in the forms of all mappers,
// without an option.
func TestTimesInAnyForm(t *testing.T) {
	t.Parallel()
	c := jackson.JsonJackson()
	typed := codectest.Typed[goldenTimes](t, c)
	var first goldenTimes
	for i, codec := range []string{"JsonJacksonCodec+JavaTime", "JsonJacksonCodec+DatesAsText", "JsonJackson3Codec"} {
		for _, row := range golden(t, "4.7.0") {
			if row.Codec != codec || row.Where != "root" || row.Sample != "POJO Times" {
				continue
			}
			got, err := typed.Decode(row.Payload)
			if err != nil {
				t.Errorf("%s: %v", codec, err)
			}
			if i == 0 {
				first = got
			}
			if got.Date != first.Date || got.Time != first.Time || got.DateTime != first.DateTime || got.Instant != first.Instant ||
				got.Duration != first.Duration || got.Period != first.Period || !got.Offset.GoTime().Equal(first.Offset.GoTime()) ||
				got.Year != first.Year || got.YearMonth != first.YearMonth || got.MonthDay != first.MonthDay || got.OffsetTime != first.OffsetTime {
				t.Errorf("%s: %+v", codec, got)
			}
		}
	}
	// What Jackson before 2.12 wrote of java.time.
	old, err := typed.Decode([]byte(`{"@class":"demo.Times","date":{"day":2,"leapYear":true,"month":1,"year":2024},"instant":{"nanos":123000000,"seconds":1700000000},` +
		`"duration":{"nanos":250000000,"negative":false,"seconds":5,"zero":false},"time":{"hour":3,"minute":4,"nano":0,"second":0},"year":{"leap":true,"year":2024}}`))
	if err != nil || old.Date != first.Date || old.Instant != first.Instant || old.Duration != first.Duration || old.Time != first.Time || old.Year != first.Year {
		t.Errorf("%+v, %v", old, err)
	}
	for _, wrong := range []string{`"date":[2024,13,1]`, `"date":"2024-02-30"`, `"time":"25:00"`, `"instant":"soon"`, `"duration":"P"`, `"year":[1]`, `"period":"P1"`, `"monthDay":"--02-30"`} {
		if _, err := typed.Decode([]byte(`{"@class":"demo.Times",` + wrong + `}`)); err == nil || !strings.Contains(err.Error(), "java.time.") {
			t.Errorf("%s: %v", wrong, err)
		}
	}
}
