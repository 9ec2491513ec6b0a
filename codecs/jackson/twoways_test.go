package jackson_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/databind"
	"github.com/duequeue/duequeue/codecs/internal/databind/databindtest"
	"github.com/duequeue/duequeue/codecs/jackson"
	"github.com/duequeue/duequeue/codecs/java"
)

// TestTwoWays compares typed plans with the way by values.
func TestTwoWays(t *testing.T) {
	t.Parallel()
	small := jackson.Limits(codecs.Limits{Elements: 30, Depth: 5, Bytes: 2000, StringBytes: 40})
	for _, c := range []codecs.Codec{
		jackson.JsonJackson(), jackson.JsonJackson(jackson.Redisson3_8), jackson.JsonJackson(jackson.Redisson4_2), jackson.JsonJackson(small),
		jackson.JsonJackson(jackson.JavaTime()), jackson.JsonJackson(jackson.DatesAsText()),
		jackson.JsonJackson3(), jackson.TypedJsonJackson(), jackson.TypedJsonJackson3(),
	} {
		databindtest.Agree(t, c)
	}
}

// FuzzTyped compares the two ways on bytes of the fuzzer.
func FuzzTyped(f *testing.F) {
	s := databindtest.NewSuite(f, jackson.JsonJackson(jackson.Limits(codecs.Limits{Elements: 1 << 12, Depth: 64})))
	for _, seed := range s.Seeds() {
		f.Add(seed)
	}
	f.Add(benchPayload(f, "jackson", "order"))
	f.Fuzz(func(t *testing.T, payload []byte) { s.Check(t, payload) })
}

// failed holds Throwables, which a number stands for where they come again.
type failed struct {
	First any `java:"first,java.lang.Throwable"`
	Next  any `java:"next,java.lang.Throwable"`
}

func (failed) JavaClass() string { return "demo.Failed" }

// TestNumbersEndWithThePayload: a number says nothing of what another payload held.
func TestNumbersEndWithThePayload(t *testing.T) {
	t.Parallel()
	const object = `{"@class":"java.lang.RuntimeException","@id":1,"message":"no"}`
	both := []byte(`{"@class":"demo.Failed","first":` + object + `,"next":1}`)
	number := []byte(`{"@class":"demo.Failed","next":1}`)
	c := jackson.JsonJackson()
	read := func(c codecs.Codec, payloads ...[]byte) string {
		typed, err := codecs.For[failed](c, codecs.BindOptions{})
		if err != nil {
			t.Fatal(err)
		}
		out := ""
		for _, p := range payloads {
			v, err := typed.Decode(p)
			out += fmt.Sprintln(java.ClassOf(v.First), java.ClassOf(v.Next), err)
		}
		return out
	}
	want := read(databind.ByValues(c), both, number)
	if got := read(c, both, number); got != want || strings.Count(want, "RuntimeException") != 2 {
		t.Errorf("%s, by values %s", got, want)
	}
}

// TestManyValues: what package java refuses to lower is refused, also where pointers
// share one thing.
func TestManyValues(t *testing.T) {
	t.Parallel()
	typed, err := codecs.For[[][]*int32](jackson.JsonJackson(), codecs.BindOptions{})
	if err != nil {
		t.Fatal(err)
	}
	shared := make([]*int32, 1000)
	for i := range shared {
		shared[i] = new(int32)
	}
	many := make([][]*int32, 1000)
	for i := range many {
		many[i] = shared
	}
	if _, err := typed.Encode(many); err == nil || !strings.Contains(err.Error(), "too many values") {
		t.Errorf("error %v, want one about too many values", err)
	}
}
