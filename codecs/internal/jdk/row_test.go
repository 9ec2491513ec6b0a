package jdk_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/cbor"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/internal/jdk"
	"github.com/duequeue/duequeue/codecs/internal/keyorder"
	"github.com/duequeue/duequeue/codecs/ion"
	"github.com/duequeue/duequeue/codecs/jackson"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/kryo5"
	"github.com/duequeue/duequeue/codecs/marshalling"
	"github.com/duequeue/duequeue/codecs/msgpack"
	"github.com/duequeue/duequeue/codecs/serialization"
	"github.com/duequeue/duequeue/codecs/smile"
	"github.com/duequeue/duequeue/codecs/view"
)

// offsetDate is a class that the JDK does not have: all that codecs know of it is its row.
type offsetDate struct {
	Date   java.LocalDate
	Offset java.ZoneOffset
}

const class = "java.time.OffsetDate"

// String returns d in ISO 8601.
func (d offsetDate) String() string {
	p := split(d)
	return p.Text([]jdk.Part{jdk.Date, jdk.Offset}, false)
}

func split(v any) jdk.Value {
	d := v.(offsetDate)
	return jdk.Value{Year: d.Date.Year, Month: d.Date.Month, Day: d.Date.Day, Offset: int32(d.Offset)}
}

func init() {
	jdk.Add(jdk.Type{
		Class: class, Go: reflect.TypeFor[offsetDate](), Final: true, Time: true, Ordered: true,
		Parts: []jdk.Part{jdk.Date, jdk.Offset}, Split: split,
		Join: func(p *jdk.Value) any {
			return offsetDate{java.LocalDate{Year: p.Year, Month: p.Month, Day: p.Day}, java.ZoneOffset(p.Offset)}
		},
		Hash: func(v any) (int32, bool) { return int32(v.(offsetDate).Date.Day), true },
		Ser:  99, Jackson: "att",
	})
}

var leapDay = offsetDate{java.LocalDate{Year: 2024, Month: 2, Day: 29}, 8 * 3600}

// order is a bean with the class in each kind of place.
type order struct {
	Due   offsetDate            `java:"due"`
	Until *offsetDate           `java:"until"`
	All   []offsetDate          `java:"all"`
	ByDay map[offsetDate]string `java:"byDay"`
	Texts texts                 `java:"texts"`
}

// texts are of classes whose rows read text.
type texts struct {
	Locale  string `java:"locale,java.util.Locale"`
	Pattern string `java:"pattern,java.util.regex.Pattern"`
	ID      string `java:"id,java.util.UUID"`
	Builder string `java:"builder,java.lang.StringBuilder"`
}

func (texts) JavaClass() string { return "demo.Texts serial 1" }

func (order) JavaClass() string { return "demo.Order serial 1" }

// TestRowInAllFormats: one row with parts is enough for a class to be carried by all formats that
// have java.time, as a whole payload, in a bean, and as a key. What Java writes it does not know.
func TestRowInAllFormats(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]codecs.Codec{
		"kryo5": kryo5.New(), "java.io": serialization.New(), "River": marshalling.New(),
		"JSON": jackson.JsonJackson(jackson.Mapper{Dates: jackson.Timestamps}), "JSON, texts": jackson.JsonJackson(jackson.Mapper{Dates: jackson.DateTexts}),
		"Jackson 3": jackson.JsonJackson3(), "typed": jackson.TypedJsonJackson3(),
		"CBOR": cbor.Jackson(jackson.Mapper{Dates: jackson.Timestamps}), "Smile": smile.Jackson3(), "Ion": ion.Jackson3(),
		"MsgPack": msgpack.Jackson(jackson.Mapper{Dates: jackson.Timestamps}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			roundTrip(t, c, order{leapDay, &leapDay, []offsetDate{leapDay}, map[offsetDate]string{leapDay: "a"}, texts{"de", "a+", "123e4567-e89b-12d3-a456-426614174000", "b"}})
			roundTrip(t, c, leapDay)
			payload := codectest.Must(c.Encode(&java.List{Elements: []any{leapDay}}))(t)
			v := codectest.Must(c.Decode(payload))(t)
			if got := fmt.Sprint(v.(*java.List).Elements); name != "typed" && got != "[2024-02-29+08:00]" {
				t.Errorf("a list of it is read as %s", got)
			}
			if again, err := c.Encode(v); err != nil || !bytes.Equal(again, payload) {
				t.Errorf("%x becomes %x, %v", payload, again, err)
			}
		})
	}
}

func roundTrip[T any](t *testing.T, c codecs.Codec, want T) {
	t.Helper()
	typed := codectest.Must(codecs.For[T](c, codecs.BindOptions{}))(t)
	payload := codectest.Must(typed.Encode(want))(t)
	if got, err := typed.Decode(payload); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v comes back as %+v, %v", want, got, err)
	}
}

// TestRowInViews: the class, the text, the order and the hash code come from the row.
func TestRowInViews(t *testing.T) {
	t.Parallel()
	if got := java.ClassOf(leapDay); got != class {
		t.Errorf("its class is %q", got)
	}
	if got := string(view.Of(leapDay)); got != `{"class":"java.time.OffsetDate","value":"2024-02-29+08:00"}` || !json.Valid([]byte(got)) {
		t.Errorf("it is shown as %s", got)
	}
	later := offsetDate{java.LocalDate{Year: 2024, Month: 3, Day: 1}, 0}
	keys, err := java.HashOrder([]any{leapDay, later})
	if err != nil || fmt.Sprint(keys) != "[2024-03-01Z 2024-02-29+08:00]" { // by its hash code: the day
		t.Errorf("a HashMap has %v, %v", keys, err)
	}
	if keyorder.Compare(leapDay, later) >= 0 {
		t.Error("the later one is not after the other")
	}
	var m java.Map
	m.Set(leapDay, "a")
	if v, ok := m.Get(leapDay); !ok || v != "a" {
		t.Errorf("under the key is %v", v)
	}
	if jdk.OfClass(class).Go != reflect.TypeFor[offsetDate]() {
		t.Error("its Go type is not known")
	}
}

// TestRowRefuses: what no calendar has is an error, with the place or the path.
func TestRowRefuses(t *testing.T) {
	t.Parallel()
	bad := offsetDate{java.LocalDate{Year: 2023, Month: 2, Day: 29}, 0}
	for name, c := range map[string]codecs.Codec{"kryo5": kryo5.New(), "java.io": serialization.New(), "JSON": jackson.JsonJackson3()} {
		if out, err := c.Encode(bad); err == nil {
			t.Errorf("%s writes %q", name, out)
		}
	}
}
