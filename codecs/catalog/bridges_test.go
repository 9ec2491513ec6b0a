package catalog_test

import (
	"bytes"
	"math/big"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/cbor"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/ion"
	"github.com/duequeue/duequeue/codecs/jackson"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/kryo5"
	"github.com/duequeue/duequeue/codecs/marshalling"
	"github.com/duequeue/duequeue/codecs/msgpack"
	"github.com/duequeue/duequeue/codecs/serialization"
	"github.com/duequeue/duequeue/codecs/smile"
)

// amount is a decimal as shopspring/decimal has it: hidden fields, and methods that say
// all of it, though its text has no zeros at the end.
type amount struct {
	value *big.Int
	exp   int32
}

func (a amount) Coefficient() *big.Int {
	if a.value == nil {
		return new(big.Int)
	}
	return new(big.Int).Set(a.value)
}

func (a amount) Exponent() int32 { return a.exp }

func (a amount) MarshalText() ([]byte, error) {
	text := java.BigDecimal{Unscaled: a.Coefficient(), Scale: -a.exp}.String()
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return []byte(text), nil
}

func (a *amount) UnmarshalText(text []byte) error {
	d, err := java.ParseBigDecimal(string(text))
	*a = amount{d.Unscaled, -d.Scale}
	return err
}

// textual is a decimal of which text is all that one can get, with methods of pointers as
// cockroachdb/apd has them.
type textual struct{ text string }

func (x *textual) MarshalText() ([]byte, error)    { return []byte(x.text), nil }
func (x *textual) UnmarshalText(text []byte) error { x.text = string(text); return nil }

// plainBill has the types of package java, bridgedBill those of others.
type plainBill struct {
	At     java.LocalDateTime         `java:"at"`
	Days   []java.LocalDateTime       `java:"days"`
	Due    java.LocalDateTime         `java:"due"`
	Fee    *java.BigDecimal           `java:"fee"`
	Net    java.BigDecimal            `java:"net"`
	Parts  []java.BigDecimal          `java:"parts"`
	Rates  map[string]java.BigDecimal `java:"rates"`
	Sent   time.Time                  `java:"sent"`
	Tax    java.BigDecimal            `java:"tax"`
	Waived *java.BigDecimal           `java:"waived"`
}

func (plainBill) JavaClass() string { return "demo.Bill serial 1" }

type bridgedBill struct {
	At     time.Time         `java:"at,java.time.LocalDateTime,zone=Europe/Berlin"`
	Days   []time.Time       `java:"days,java.util.List<java.time.LocalDateTime>,zone=+08:00"`
	Due    time.Time         `java:"due,java.time.LocalDateTime,zone=UTC"`
	Fee    *amount           `java:"fee"`
	Net    amount            `java:"net"`
	Parts  []amount          `java:"parts"`
	Rates  map[string]amount `java:"rates"`
	Sent   time.Time         `java:"sent"`
	Tax    textual           `java:"tax,java.math.BigDecimal"`
	Waived *amount           `java:"waived"`
}

func (bridgedBill) JavaClass() string { return "demo.Bill serial 1" }

func decimal(unscaled int64, scale int32) java.BigDecimal {
	return java.BigDecimal{Unscaled: big.NewInt(unscaled), Scale: scale}
}

func bills(t *testing.T) (plainBill, bridgedBill) {
	t.Helper()
	berlin := codectest.Must(time.LoadLocation("Europe/Berlin"))(t)
	fee := decimal(5, -3)
	day := java.LocalDateTime{Date: java.LocalDate{Year: 2024, Month: 7, Day: 1}, Time: java.LocalTime{Hour: 12, Minute: 30, Nano: 5_000_000}}
	sent := time.UnixMilli(1700000000123).UTC()
	plain := plainBill{
		At: day, Days: []java.LocalDateTime{day}, Fee: &fee, Net: decimal(1230, 2), Parts: []java.BigDecimal{decimal(7, 0), decimal(-700, 2)},
		Rates: map[string]java.BigDecimal{"a": decimal(10, 1)}, Sent: sent, Tax: decimal(190, 2),
	}
	east := time.FixedZone("+08:00", 8*3600)
	bridged := bridgedBill{
		At: time.Date(2024, 7, 1, 12, 30, 0, 5_000_000, berlin), Days: []time.Time{time.Date(2024, 7, 1, 12, 30, 0, 5_000_000, east)},
		Fee: &amount{big.NewInt(5), 3}, Net: amount{big.NewInt(1230), -2}, Parts: []amount{{big.NewInt(7), 0}, {big.NewInt(-700), -2}},
		Rates: map[string]amount{"a": {big.NewInt(10), -1}}, Sent: sent, Tax: textual{"1.90"},
	}
	return plain, bridged
}

// bridgeCodecs are the codecs that write LocalDateTime and BigDecimal.
var bridgeCodecs = map[string]codecs.Codec{
	"kryo5": kryo5.New(), "marshalling": marshalling.New(), "serialization": serialization.New(),
	"jsonjackson3": jackson.JsonJackson3(), "typedjsonjackson3": jackson.TypedJsonJackson3(), "smilejackson3": smile.Jackson3(),
	"cborjackson3": cbor.Jackson3(), "ionjackson3": ion.Jackson3(),
	"jsonjackson": jackson.JsonJackson(jackson.Mapper{Dates: jackson.Timestamps}), "typedjsonjackson": jackson.TypedJsonJackson(jackson.Mapper{Dates: jackson.Timestamps}),
	"jsonjackson as text": jackson.JsonJackson(jackson.Mapper{Dates: jackson.DateTexts}),
	"smilejackson":        smile.Jackson(jackson.Mapper{Dates: jackson.Timestamps}), "cborjackson": cbor.Jackson(jackson.Mapper{Dates: jackson.Timestamps}),
	"msgpackjackson": msgpack.Jackson(jackson.Mapper{Dates: jackson.Timestamps}), "ionjackson": ion.Jackson(jackson.Mapper{Dates: jackson.Timestamps}),
}

// TestBridges: a time.Time with a zone and the types of decimal libraries have the bytes
// of LocalDateTime and BigDecimal, by every codec, and read them: in beans, as whole messages
// and as elements.
func TestBridges(t *testing.T) {
	t.Parallel()
	plain, bridged := bills(t)
	at := time.Date(2024, 7, 1, 12, 30, 0, 5_000_000, time.UTC)
	for name, c := range bridgeCodecs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bridge(t, c, plain, bridged)
			bridge(t, c, plainBill{Net: decimal(0, 0), Tax: decimal(1, 0)}, bridgedBill{Tax: textual{"1"}})
			bridge(t, c, decimal(1230, 2), amount{big.NewInt(1230), -2})
			bridge(t, c, []java.BigDecimal{decimal(1230, 2)}, []amount{{big.NewInt(1230), -2}})
			bridge(t, c, laterPlain{
				Sent: at, At: java.LocalDateTimeOf(at, time.UTC), On: at, Due: java.LocalDateTimeOf(at, time.FixedZone("", 3600)),
			}, laterBridged{Sent: at, At: at, On: at, Due: at})
		})
	}
}

// bridge holds the bytes of one type to those of another one, and what is read of them.
func bridge[P, B any](t *testing.T, c codecs.Codec, plain P, bridged B) {
	t.Helper()
	want := codectest.Must(codectest.Typed[P](t, c).Encode(plain))(t)
	typed := codectest.Typed[B](t, c)
	if got, err := typed.Encode(bridged); err != nil || !bytes.Equal(got, want) {
		t.Errorf("encoded %q, %v\nwant    %q", got, err, want)
	}
	back := codectest.Must(typed.Decode(want))(t)
	if again, err := typed.Encode(back); err != nil || !bytes.Equal(again, want) {
		t.Errorf("decoded %+v, encoded %q, %v\nwant    %q", back, again, err, want)
	}
}

// laterPlain and laterBridged have a Date first: plans must not take one Go type for one Java type.
type laterPlain struct {
	Sent time.Time          `java:"sent"`
	At   java.LocalDateTime `java:"at"`
	On   time.Time          `java:"on,java.time.Instant"`
	Due  java.LocalDateTime `java:"due"`
}

func (laterPlain) JavaClass() string { return "demo.Later serial 1" }

type laterBridged struct {
	Sent time.Time `java:"sent"`
	At   time.Time `java:"at,java.time.LocalDateTime,zone=UTC"`
	On   time.Time `java:"on,java.time.Instant"`
	Due  time.Time `java:"due,java.time.LocalDateTime,zone=+01:00"`
}

func (laterBridged) JavaClass() string { return "demo.Later serial 1" }

// TestBridgeMistakes: binding says what a type or a tag lacks.
func TestBridgeMistakes(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		typ  reflect.Type
		want string
	}{
		{reflect.TypeFor[struct {
			At time.Time `java:"at,java.time.LocalDateTime"`
		}](), "name one in the tag"},
		{reflect.TypeFor[struct {
			At time.Time `java:"at,zone=Europe/Berlin"`
		}](), "for a time.Time declared as java.time.LocalDateTime"},
		{reflect.TypeFor[struct {
			At time.Time `java:"at,java.time.LocalDateTime,zone=Europe/Nowhere"`
		}](), "Europe/Nowhere"},
		{reflect.TypeFor[struct {
			At time.Time `java:"at,java.time.LocalDateTime,zone=Local"`
		}](), "needs the name of a time zone"},
		{reflect.TypeFor[struct {
			Net amount `java:"net,java.lang.String"`
		}](), "it cannot be written as the declared type java.lang.String"},
	} {
		for name, c := range bridgeCodecs {
			if _, err := c.Bind(row.typ, codecs.BindOptions{}); err == nil || !strings.Contains(err.Error(), row.want) {
				t.Errorf("%s: %s: got %v, want an error with %q", name, row.typ, err, row.want)
			}
		}
	}
}
