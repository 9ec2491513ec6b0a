package jackson_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/jackson"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/java/gotypes"
	"github.com/duequeue/duequeue/codecs/kryo5"
)

type stage string

func (stage) JavaClass() string { return "enum demo.Stage {NEW, PAID, DONE}" }

// annotated has a field for each option of a tag.
type annotated struct {
	ID      int64                `java:"id,json=order_id,text"`
	Boxed   *int64               `java:"boxed,text"`
	Amount  *java.BigDecimal     `java:"amount,text"`
	Rate    float64              `java:"rate,text"`
	IDs     []int64              `java:"ids,text"`
	At      time.Time            `java:"at,zone=GMT+8,format=yyyy-MM-dd HH:mm:ss"`
	UTC     time.Time            `java:"utc,format=yyyy/MM/dd"`
	Millis  time.Time            `java:"millis,number"`
	Text    time.Time            `java:"text,text"`
	Zoned   time.Time            `java:"zoned,text,zone=GMT+8"`
	Local   *java.LocalDateTime  `java:"local,format=yyyy-MM-dd HH:mm:ss"`
	Due     time.Time            `java:"due,java.time.LocalDateTime,zone=GMT+8,format=yyyy-MM-dd HH:mm"`
	Days    []java.LocalDate     `java:"days,format=dd.MM.yyyy"`
	Clock   *java.LocalTime      `java:"clock,number"`
	Instant *java.Instant        `java:"instant,zone=Asia/Shanghai,format=yyyy-MM-dd'T'HH:mm:ss"`
	Offset  *java.OffsetDateTime `java:"offset,format=yyyy-MM-dd HH:mm:ssXXX"`
	Stage   stage                `java:"stage,number"`
	Stages  map[string]stage     `java:"stages,number"`
	Always  *string              `java:"always,always"`
	Empty   string               `java:"empty,omitempty"`
	None    []string             `java:"none,omitempty"`
	Zero    int32                `java:"zero,omitempty"`
	Secret  string               `java:"secret,json=-"`
}

func (annotated) JavaClass() string { return "demo.Annotated" }

func annotatedValue() (annotated, string) {
	at := time.Date(2024, 2, 29, 23, 59, 58, 0, time.UTC)
	local, amount, boxed := java.LocalDateTimeOf(at, time.UTC), java.BigDecimal{Scale: 2}, int64(-7)
	v := annotated{
		ID: 1 << 60, Boxed: &boxed, Amount: &amount, Rate: 1.5, IDs: []int64{1, 2},
		At: at, UTC: at.Truncate(24 * time.Hour), Millis: at, Text: at, Zoned: at, Local: &local, Due: at.Truncate(time.Minute),
		Days: []java.LocalDate{{Year: 2024, Month: 2, Day: 29}}, Clock: &java.LocalTime{Hour: 1, Minute: 2},
		Instant: &java.Instant{Seconds: at.Unix()}, Offset: &java.OffsetDateTime{Date: local.Date, Time: local.Time, Offset: 7200},
		Stage: "PAID", Stages: map[string]stage{"a": "DONE"},
	}
	return v, `"always":null,"amount":"0.00","at":"2024-03-01 07:59:58","boxed":"-7","clock":[1,2],"days":["29.02.2024"],"due":"2024-03-01 07:59",` +
		`"ids":["1","2"],"instant":"2024-03-01T07:59:58","local":"2024-02-29 23:59:58","millis":1709251198000,` +
		`"offset":"2024-02-29 23:59:58+02:00","order_id":"1152921504606846976","rate":"1.5","stage":1,"stages":{"a":2},` +
		`"text":"2024-02-29T23:59:58.000+00:00","utc":"2024/02/29","zero":0,"zoned":"2024-03-01T07:59:58.000+08:00"`
}

// TestAnnotations: a field is written as its tag says and read back, with a Go type and without.
func TestAnnotations(t *testing.T) {
	t.Parallel()
	v, members := annotatedValue()
	c := jackson.TypedJsonJackson(jackson.Mapper{Dates: jackson.Timestamps})
	typed := codectest.Typed[annotated](t, c)
	got, err := typed.Encode(v)
	if want := "{" + members + "}"; err != nil || string(got) != want {
		t.Errorf("%v\n got %s\nwant %s", err, got, want)
	}
	back, err := typed.Decode(got)
	if err != nil || fmt.Sprintf("%+v", dereferenced(back)) != fmt.Sprintf("%+v", dereferenced(v)) {
		t.Errorf("%v\n got %+v\nwant %+v", err, dereferenced(back), dereferenced(v))
	}
	named := codectest.Typed[annotated](t, jackson.JsonJackson(jackson.Mapper{Dates: jackson.Timestamps}))
	got, err = named.Encode(v)
	for _, member := range []string{
		`{"@class":"demo.Annotated","always":null,"amount":["java.math.BigDecimal","0.00"],"at":["java.util.Date","2024-03-01 07:59:58"],"boxed":["java.lang.Long","-7"],`,
		`"ids":["java.util.ArrayList",[["java.lang.Long","1"],["java.lang.Long","2"]]]`, `"order_id":"1152921504606846976"`, `"stage":1,"stages":{"@class":"java.util.HashMap","a":2}`,
	} {
		if err != nil || !strings.Contains(string(got), member) {
			t.Errorf("%v: %s has no %s", err, got, member)
		}
	}
	if back, err = named.Decode(got); err != nil || fmt.Sprintf("%+v", dereferenced(back)) != fmt.Sprintf("%+v", dereferenced(v)) {
		t.Errorf("%v: %+v", err, back)
	}
	classes := codectest.Must(gotypes.ClassesOf(reflect.TypeFor[annotated](), codecs.BindOptions{}))(t)
	dynamic := jackson.JsonJackson(jackson.Mapper{Dates: jackson.Timestamps}, jackson.Classes(classes))
	bare := codectest.Must(dynamic.Decode(got))(t)
	if id, _ := bare.(*java.Object).Get("id"); id != int64(1<<60) {
		t.Errorf("id is %#v: %+v", id, bare)
	}
	if again, err := dynamic.Encode(bare); err != nil || string(again) != string(got) {
		t.Errorf("without a Go type: %v\n got %s\nwant %s", err, again, got)
	}
}

// dereferenced is v with what its pointers point to.
func dereferenced(v annotated) []any {
	out := []any{v.Due.UTC()}
	out = append(out, *v.Boxed, v.Amount.String(), *v.Local, *v.Clock, *v.Instant, *v.Offset)
	v.Boxed, v.Amount, v.Local, v.Clock, v.Instant, v.Offset, v.Due = nil, nil, nil, nil, nil, nil, time.Time{}
	return append(out, v)
}

// TestAnnotationsElsewhere: Kryo has no such annotations, and a struct that is a map none either.
func TestAnnotationsElsewhere(t *testing.T) {
	t.Parallel()
	type keyed struct {
		ID int64 `java:"id,json=order_id"`
	}
	got, err := codectest.Typed[keyed](t, jackson.JsonJackson()).Encode(keyed{5})
	if err != nil || string(got) != `{"@class":"java.util.HashMap","id":["java.lang.Long",5]}` {
		t.Errorf("%s %v", got, err)
	}
	v, _ := annotatedValue()
	typed := codectest.Typed[annotated](t, kryo5.New())
	v.Secret = "kept"
	got = codectest.Must(typed.Encode(v))(t)
	if back, err := typed.Decode(got); err != nil || back.Secret != "kept" || back.ID != v.ID || !back.At.Equal(v.At) {
		t.Errorf("%+v %v", back, err)
	}
}

// TestAnnotationsLenient: what Java's readers take with these annotations.
func TestAnnotationsLenient(t *testing.T) {
	t.Parallel()
	typed := codectest.Typed[annotated](t, jackson.TypedJsonJackson(jackson.Mapper{Dates: jackson.Timestamps}))
	back, err := typed.Decode([]byte(`{"order_id":5,"boxed":"","at":1709251198000,"millis":"2024-02-29T23:59:58Z","local":[2024,2,29,1,2],"stage":"DONE",` +
		`"clock":"01:02","due":"","utc":"","rate":2,"secret":"x","unknown":1,"stages":{"a":0},"empty":null}`))
	want := time.Date(2024, 2, 29, 23, 59, 58, 0, time.UTC)
	if err != nil || back.ID != 5 || back.Boxed != nil || !back.At.Equal(want) || !back.Millis.Equal(want) || back.Local.Time.Hour != 1 ||
		back.Stage != "DONE" || back.Clock.Minute != 2 || !back.Due.IsZero() || back.Secret != "" || back.Stages["a"] != "NEW" {
		t.Errorf("%+v %v", back, err)
	}
}

// TestAnnotationsOfJackson3: always and omitnull where the mapper writes null.
func TestAnnotationsOfJackson3(t *testing.T) {
	t.Parallel()
	type message struct {
		ID    int64     `java:"id,text"`
		Note  *string   `java:"note"`
		Other *string   `java:"other,omitnull"`
		List  []string  `java:"list,omitempty"`
		At    time.Time `java:"at,number"`
	}
	typed := codectest.Typed[message](t, jackson.TypedJsonJackson3())
	got, err := typed.Encode(message{ID: 5, At: time.UnixMilli(7)})
	if err != nil || string(got) != `{"at":7,"id":"5","note":null}` {
		t.Errorf("%s %v", got, err)
	}
}

// TestAnnotationsMistakes: a format that is not carried names its field.
func TestAnnotationsMistakes(t *testing.T) {
	t.Parallel()
	type wrong struct {
		At time.Time `java:"at,format=yyyy-MM-dd z"`
	}
	type clock struct {
		At java.LocalDate `java:"at,format=yyyy-MM-dd HH:mm"`
	}
	for _, c := range []codecs.Codec{jackson.TypedJsonJackson(), jackson.TypedJsonJackson3()} {
		_, err := codecs.For[wrong](c, codecs.BindOptions{})
		var letter *jackson.PatternError
		if !errors.As(err, &letter) || letter.Letter != "z" || !strings.Contains(err.Error(), "field At of jackson_test.wrong") {
			t.Errorf("%s: %v", c.Name(), err)
		}
		if _, err = codecs.For[clock](c, codecs.BindOptions{}); !errors.As(err, &letter) || letter.Letter != "HH" {
			t.Errorf("%s: %v", c.Name(), err)
		}
	}
}

// TestMapperOptions: what a mapper says of all Longs, names and enums.
func TestMapperOptions(t *testing.T) {
	t.Parallel()
	type inner struct {
		OrderID int64   `java:"orderId"`
		IDs     []int64 `java:"userIds"`
		Longs   []int64 `java:"allLongs,long[]"`
		Any     any     `java:"anyOne"`
		Stage   stage   `java:"theStage"`
		Fixed   int64   `java:"fixedName,json=fixedName"`
	}
	m, err := jackson.ParseMapper("longastext=true+naming=SNAKE_CASE+enums=ORDINAL")
	if err != nil || m.Text() != "longastext=TRUE+naming=SNAKE_CASE+enums=ORDINAL" {
		t.Fatal(m.Text(), err)
	}
	typed := codectest.Typed[inner](t, jackson.TypedJsonJackson(m))
	v := inner{5, []int64{6}, []int64{7}, map[string]any{"a": int64(8), "b": int32(9)}, "DONE", 10}
	got, err := typed.Encode(v)
	want := `{"all_longs":[7],"any_one":{"a":"8","b":9},"fixedName":"10","order_id":"5","the_stage":2,"user_ids":["6"]}`
	if err != nil || string(got) != want {
		t.Errorf("%v\n got %s\nwant %s", err, got, want)
	}
	back, err := typed.Decode(got)
	if err != nil || back.OrderID != 5 || back.IDs[0] != 6 || back.Longs[0] != 7 || back.Stage != "DONE" || back.Fixed != 10 {
		t.Errorf("%+v %v", back, err)
	}
	c := jackson.JsonJackson(m)
	for _, v := range []any{int64(5), []any{int64(5)}, map[string]any{"orderId": int64(5)}} {
		got, err := c.Encode(v)
		if err != nil || !strings.Contains(string(got), `["java.lang.Long","5"]`) {
			t.Errorf("%v: %s %v", v, got, err)
		}
	}
}
