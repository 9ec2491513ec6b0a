package jackson_test

import (
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/jackson"
)

type libraryOrder struct {
	libraryBase
	ID     int64            `json:"id"`
	At     time.Time        `json:"at"`
	Sec    *time.Time       `json:"sec"`
	Amount float64          `json:"amount"`
	More   []time.Time      `json:"more,omitempty"`
	By     map[string]int64 `json:"by,omitempty"`
	Text   uint32           `json:"text,string,omitempty"`
}

type libraryBase struct {
	Local time.Time `json:"local,omitzero"`
}

// Dates and Longs are read as Java's libraries write them: each row is what the library named
// wrote of one bean on a Java machine in Asia/Shanghai.
func TestJSONOfLibraries(t *testing.T) {
	t.Parallel()
	shanghai := jackson.JSON(jackson.Mapper{TimeZone: "Asia/Shanghai"})
	typed := codectest.Typed[libraryOrder](t, shanghai)
	for library, payload := range map[string]string{
		"fastjson":                             `{"amount":12.30,"at":1704164645123,"id":9007199254740993,"local":"2024-01-02T03:04:05","sec":1704164645000}`,
		"fastjson, UseISO8601DateFormat":       `{"amount":12.30,"at":"2024-01-02T11:04:05.123+08:00","id":"9007199254740993","local":"2024-01-02T03:04:05","sec":"2024-01-02T11:04:05+08:00"}`,
		"fastjson2":                            `{"amount":12.30,"at":"2024-01-02 11:04:05.123","id":9007199254740993,"local":"2024-01-02 03:04:05","sec":"2024-01-02 11:04:05"}`,
		"fastjson2, WriteLongAsString":         `{"amount":"12.30","at":"2024-01-02 11:04:05.123","id":"9007199254740993","local":"2024-01-02 03:04:05","sec":"2024-01-02 11:04:05"}`,
		"fastjson2, millis":                    `{"amount":12.30,"at":1704164645123,"id":9007199254740993,"local":1704135845000,"sec":1704164645000}`,
		"hutool":                               `{"id":9007199254740993,"at":1704164645123,"local":1704135845000,"amount":12.3,"sec":1704164645000}`,
		"gson":                                 `{"id":9007199254740993,"at":"Jan 2, 2024, 11:04:05 AM","sec":"Jan 2, 2024, 11:04:05 AM","amount":12.30}`,
		"gson on Java 21":                      `{"id":9007199254740993,"at":"Jan 2, 2024, 11:04:05 AM","sec":"Jan 2, 2024, 11:04:05\u202fAM","amount":12.30}`,
		"Jackson, an ObjectMapper as it comes": `{"id":9007199254740993,"at":1704164645123,"sec":1704164645000,"amount":12.30}`,
		"Spring":                               `{"id":"9007199254740993","at":"2024-01-02T03:04:05.123+00:00","sec":"2024-01-02T03:04:05.000+0000","local":"2024-01-02T03:04:05","amount":12.30}`,
	} {
		v, err := typed.Decode([]byte(payload))
		if err != nil {
			t.Errorf("%s: %v", library, err)
			continue
		}
		at := time.UnixMilli(1704164645123)
		if strings.HasPrefix(library, "gson") {
			at = at.Truncate(time.Second)
		}
		if v.ID != 9007199254740993 || v.Amount != 12.3 || !v.At.Equal(at) || v.Sec == nil || !v.Sec.Equal(at.Truncate(time.Second)) {
			t.Errorf("%s: %+v", library, v)
		}
		if !v.Local.IsZero() && !v.Local.Equal(time.UnixMilli(1704135845000)) {
			t.Errorf("%s: %v", library, v.Local)
		}
	}
}

// Without a time zone dates are in UTC; texts of numbers, the flag string and empty texts are
// read in lists, maps and embedded structs, by names in any case.
func TestJSONLenient(t *testing.T) {
	t.Parallel()
	typed := bindJSON[libraryOrder](t)
	v, err := typed.Decode([]byte(`{"ID":"-007","sec":"","at":" 2024/01/02 03:04:05 ","more":["2024-01-02",1704164645123,null],"by":{"a":"5","b":6,"c":""},"text":7,"other":["x"],"LOCAL":"2024-01-02 03:04"}`))
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2024, 1, 2, 3, 4, 5, 0, time.UTC)
	if v.ID != -7 || v.Sec != nil || !v.At.Equal(at) || !v.More[0].Equal(at.Truncate(24*time.Hour)) || !v.More[2].IsZero() ||
		v.By["a"] != 5 || v.By["b"] != 6 || v.By["c"] != 0 || v.Text != 7 || !v.Local.Equal(at.Truncate(time.Minute)) {
		t.Errorf("%+v", v)
	}
}

// A mapper says in which form dates and Longs are written.
func TestJSONForms(t *testing.T) {
	t.Parallel()
	at := time.UnixMilli(1704164645123).UTC()
	v := libraryOrder{ID: 5, At: at, Amount: 12.5, More: []time.Time{at}, By: map[string]int64{"a": 6}, Text: 7}
	for _, c := range []struct {
		mapper jackson.Mapper
		want   string
	}{
		{jackson.Mapper{}, `{"id":5,"at":"2024-01-02T03:04:05.123Z","sec":null,"amount":12.5,"more":["2024-01-02T03:04:05.123Z"],"by":{"a":6},"text":"7"}`},
		{jackson.Mapper{Dates: jackson.Timestamps}, `{"id":5,"at":1704164645123,"sec":null,"amount":12.5,"more":[1704164645123],"by":{"a":6},"text":"7"}`},
		{jackson.Mapper{Dates: jackson.DateTexts, LongAsText: true}, `{"id":"5","at":"2024-01-02T03:04:05.123+00:00","sec":null,"amount":12.5,"more":["2024-01-02T03:04:05.123+00:00"],"by":{"a":"6"},"text":"7"}`},
		{jackson.Mapper{DateFormat: "yyyy-MM-dd HH:mm:ss.SSS", TimeZone: "GMT+8"}, `{"id":5,"at":"2024-01-02 11:04:05.123","sec":null,"amount":12.5,"more":["2024-01-02 11:04:05.123"],"by":{"a":6},"text":"7"}`},
	} {
		codec := jackson.JSON(c.mapper)
		typed := codectest.Typed[libraryOrder](t, codec)
		payload, err := typed.Encode(v)
		if err != nil || string(payload) != c.want {
			t.Errorf("%s: %s %v", codec.Name(), payload, err)
		}
		if back, err := typed.Decode(payload); err != nil || !back.At.Equal(at) || back.ID != 5 || back.By["a"] != 6 {
			t.Errorf("%s: %+v %v", codec.Name(), back, err)
		}
	}
	early := codectest.Typed[time.Time](t, jackson.JSON(jackson.Mapper{DateFormat: "yyyy-MM-dd", TimeZone: "UTC"}))
	if _, err := early.Encode(time.Date(0, 1, 2, 0, 0, 0, 0, time.UTC)); err == nil || !strings.Contains(err.Error(), "from 1 to 9999") {
		t.Error(err)
	}
	if name := codecs.Text(codecs.String(), jackson.JSON(jackson.Mapper{LongAsText: true})).Name(); name != "text(string,json+longastext=TRUE)" {
		t.Error(name)
	}
}
