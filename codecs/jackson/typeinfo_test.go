package jackson_test

import (
	"errors"
	"maps"
	"reflect"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/jackson"
	"github.com/duequeue/duequeue/codecs/java"
)

type event interface{ isEvent() }

type paidEvent struct {
	Cents int64 `java:"cents,alias=amount|sum"`
}

func (paidEvent) isEvent() {}
func (paidEvent) JavaClass() string {
	return "demo.Paid implements demo.Event json type=order.paid"
}

type lostEvent struct {
	Cause event `java:"cause,demo.Event"`
	State state `java:"state"`
}

func (lostEvent) isEvent()          {}
func (lostEvent) JavaClass() string { return "demo.Lost implements demo.Event json type=lost" }

type state string

func (state) JavaClass() string { return `enum demo.State {OPEN=10, PAID="p", NEW}` }

type holder struct {
	Event  event   `java:"event,demo.Event"`
	Events []event `java:"events,java.util.List<demo.Event>"`
}

func (holder) JavaClass() string { return "demo.Holder" }

var eventTypes = codecs.BindOptions{Classes: map[reflect.Type]string{
	reflect.TypeFor[paidEvent](): paidEvent{}.JavaClass(), reflect.TypeFor[lostEvent](): lostEvent{}.JavaClass(),
}}

// TestTypeInfo: values name their class as @JsonTypeInfo of the declared type says, also where that is
// the whole payload; interop has what Java makes of it.
func TestTypeInfo(t *testing.T) {
	t.Parallel()
	value := holder{Event: lostEvent{Cause: paidEvent{5}, State: "OPEN"}, Events: []event{paidEvent{6}, lostEvent{State: "PAID"}}}
	const one = `{"type":"lost","cause":{"type":"order.paid","cents":5},"state":10}`
	const list = `[{"type":"order.paid","cents":6},{"type":"lost","state":"p"}]`
	for codec, want := range map[codecs.Codec]string{
		jackson.TypedJsonJackson(): `{"event":` + one + `,"events":` + list + `}`,
		jackson.JsonJackson():      `{"@class":"demo.Holder","event":` + one + `,"events":["java.util.ArrayList",` + list + `]}`,
	} {
		typed, err := codecs.For[holder](codec, eventTypes)
		if err != nil {
			t.Fatal(err)
		}
		got, err := typed.Encode(value)
		if err != nil || string(got) != want {
			t.Errorf("%v\n got %s\nwant %s", err, got, want)
		}
		back, err := typed.Decode(got)
		if err != nil || !reflect.DeepEqual(back, value) {
			t.Errorf("%v: %+v", err, back)
		}
	}
	root, err := codecs.For[event](jackson.TypedJsonJackson(), eventTypes)
	if err != nil {
		t.Fatal(err)
	}
	got, err := root.Encode(value.Event)
	if err != nil || string(got) != one {
		t.Errorf("%s, %v", got, err)
	}
	back, err := root.Decode([]byte(`{"state":"OPEN","cause":{"sum":5,"type":"order.paid"},"type":"lost"}`))
	if err != nil || !reflect.DeepEqual(back, value.Event) {
		t.Errorf("%v: %+v", err, back)
	}
}

// TestTypeInfoMistakes: a name that no class has is an error that says what to declare.
func TestTypeInfoMistakes(t *testing.T) {
	t.Parallel()
	typed, err := codecs.For[holder](jackson.TypedJsonJackson(), eventTypes)
	if err != nil {
		t.Fatal(err)
	}
	for payload, want := range map[string]string{
		`{"event":{"type":"refunded"}}`:             "json type=refunded",
		`{"event":{"cents":5}}`:                     `type=NAME`,
		`{"event":{"type":5}}`:                      `type=NAME`,
		`{"event":[]}`:                              "event",
		`{"event":{"type":"lost","state":20}}`:      "no constant",
		`{"event":{"type":"lost","state":"wrong"}}`: "no constant",
	} {
		v, err := typed.Decode([]byte(payload))
		var wrong *codecs.DecodeError
		if !errors.As(err, &wrong) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %+v, %v", payload, v, err)
		}
	}
	more := codecs.BindOptions{Classes: maps.Clone(eventTypes.Classes)}
	more.Classes[reflect.TypeFor[strangeEvent]()] = strangeEvent{}.JavaClass()
	typed, err = codecs.For[holder](jackson.JsonJackson(), more)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := typed.Encode(holder{Event: strangeEvent{}}); err == nil || !strings.Contains(err.Error(), "demo.Strange has no name") {
		t.Errorf("a class without a name is written: %s, %v", got, err)
	}
}

type strangeEvent struct{}

func (strangeEvent) isEvent()          {}
func (strangeEvent) JavaClass() string { return "demo.Strange" }

type dated struct {
	At *java.Calendar `java:"at"`
}

func (dated) JavaClass() string { return "demo.Dated" }

// TestCalendarTexts: a Calendar is read from any text of a date, as Java reads it.
func TestCalendarTexts(t *testing.T) {
	t.Parallel()
	typed := codectest.Typed[dated](t, jackson.TypedJsonJackson(jackson.Mapper{Dates: jackson.DateTexts}))
	for text, want := range map[string]int64{"2023-11-14T22:13:20.000+00:00": 1700000000000, "2023-11-14T22:13:20.000+0800": 1699971200000, "2023-11-15": 1700006400000} {
		got, err := typed.Decode([]byte(`{"at":"` + text + `"}`))
		if err != nil || got.At == nil || got.At.Millis != want {
			t.Errorf("%s: %+v, %v", text, got.At, err)
		}
	}
	if got, err := typed.Decode([]byte(`{"at":"tomorrow"}`)); err == nil {
		t.Errorf("%+v", got.At)
	}
}
