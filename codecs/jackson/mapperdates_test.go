package jackson_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/jackson"
	"github.com/duequeue/duequeue/codecs/java"
)

type paid struct {
	At    time.Time          `java:"at"`
	Due   time.Time          `java:"due,java.time.LocalDateTime,zone=+08:00"`
	Day   java.LocalDate     `java:"day"`
	Local java.LocalDateTime `java:"local"`
}

func (paid) JavaClass() string { return "demo.Paid" }

// Patterns of dates are written as Java writes them and read back, with a Go type and without,
// by each of the codecs that name classes or do not.
func TestMapperPatterns(t *testing.T) {
	t.Parallel()
	dates := jackson.Mapper{
		Dates: jackson.DateTexts, DateFormat: "yyyy-MM-dd HH:mm:ss", TimeZone: "GMT+8",
		LocalDateTime: "yyyy/MM/dd HH:mm", LocalDate: "dd.MM.yyyy",
	}
	wrapped := dates
	wrapped.Typing = jackson.NonFinal
	at := time.Date(2024, 2, 29, 23, 59, 58, 0, time.UTC)
	v := paid{
		At: at, Due: at.Truncate(time.Minute), Day: java.LocalDate{Year: 2024, Month: 2, Day: 29},
		Local: java.LocalDateTimeOf(at.Truncate(time.Minute), time.UTC),
	}
	for want, c := range map[string]codecs.Codec{
		`{"@class":"demo.Paid","at":["java.util.Date","2024-03-01 07:59:58"],"day":"29.02.2024","due":"2024/03/01 07:59","local":"2024/02/29 23:59"}`: jackson.JsonJackson(dates),
		`{"at":"2024-03-01 07:59:58","day":"29.02.2024","due":"2024/03/01 07:59","local":"2024/02/29 23:59"}`:                                         jackson.TypedJsonJackson(dates),
		`["demo.Paid",{"at":["java.util.Date","2024-03-01 07:59:58"],"day":"29.02.2024","due":"2024/03/01 07:59","local":"2024/02/29 23:59"}]`:        jackson.TypedJsonJackson(wrapped),
	} {
		typed := codectest.Typed[paid](t, c)
		got, err := typed.Encode(v)
		if err != nil || string(got) != want {
			t.Errorf("%s: %s %v\nwant %s", c.Name(), got, err, want)
		}
		back, err := typed.Decode([]byte(want))
		if err != nil || !back.At.Equal(v.At) || !back.Due.Equal(v.Due) || back.Day != v.Day || back.Local != v.Local {
			t.Errorf("%s: %+v %v", c.Name(), back, err)
		}
		bare := codectest.Must(c.Decode([]byte(want)))(t)
		if again, err := c.Encode(bare); err != nil || string(again) != want {
			t.Errorf("%s, without a Go type: %s %v", c.Name(), again, err)
		}
	}
}

// A letter that is not carried is an error when the codec is made, which names it.
func TestMapperPatternLetters(t *testing.T) {
	t.Parallel()
	for text, letter := range map[string]string{
		"dateformat=yyyy-MM-dd z": "z", "dateformat=yy-MM-dd": "yy", "localdate=yyyy-MM-dd HH": "HH", "localdatetime=YYYY-MM-dd HH:mm": "YYYY",
		"localtime=HH 'Uhr": "'", "localtime=mm:ss": "",
	} {
		var bad *jackson.PatternError
		if _, err := jackson.ParseMapper(text); !errors.As(err, &bad) || bad.Letter != letter {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, text := range []string{"timezone=GMT+8+dateformat=yyyy-MM-dd", "dates=TEXT+localdatetime=yyyy-MM-dd'+'HH:mm"} {
		m, err := jackson.ParseMapper(text)
		if err != nil {
			t.Error(err)
		}
		if back, err := jackson.ParseMapper(m.Text()); err != nil || back != m {
			t.Errorf("%s: %+v %v", text, back, err)
		}
	}
	for _, text := range []string{"dates=TIMESTAMPS+timezone=UTC+dateformat=yyyy", "timezone=+08:00+dateformat=yyyy", "timezone=No/Where", "dateformat=yyyy"} {
		if m, err := jackson.ParseMapper(text); err == nil {
			t.Errorf("%s is %+v", text, m)
		}
	}
}

// TestMapperZoneBefore1900: a java.util.TimeZone has the standard offset of today before 1900, as
// the jars write it.
func TestMapperZoneBefore1900(t *testing.T) {
	t.Parallel()
	c := jackson.JsonJackson(jackson.Mapper{DateFormat: "yyyy/MM/dd_HH:mm:ss.SSS", TimeZone: "Asia/Shanghai"})
	at := time.Date(1826, 8, 4, 7, 48, 5, 454_000_000, time.UTC)
	payload, err := c.Encode(at)
	if err != nil || !strings.Contains(string(payload), `"1826/08/04_15:48:05.454"`) {
		t.Errorf("%s, %v", payload, err)
	}
	typed := codectest.Typed[time.Time](t, c)
	if v, err := typed.Decode(payload); err != nil || !v.Equal(at) {
		t.Errorf("%v, %v", v, err)
	}
}
