package jackson_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/jackson"
	"github.com/duequeue/duequeue/codecs/java"
)

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
	typed := codectest.Typed[failed](t, jackson.JsonJackson())
	read := func(payloads ...[]byte) string {
		out := ""
		for _, p := range payloads {
			v, err := typed.Decode(p)
			out += fmt.Sprintln(java.ClassOf(v.First), java.ClassOf(v.Next), err)
		}
		return out
	}
	const class = "java.lang.RuntimeException"
	if got, want := read(both, number), class+" "+class+" <nil>\n "; !strings.HasPrefix(got, want) || strings.Count(got, class) != 2 {
		t.Errorf("%s, want a number that says nothing in the second payload", got)
	}
}

// link is a Throwable that holds others by value.
type link struct {
	ID         int32  `java:"@id"`
	Suppressed []link `java:"suppressed,java.lang.Throwable[]"`
}

func (link) JavaClass() string { return "java.lang.IllegalStateException" }

// TestNumbersDoNotUnfold: each Throwable refers to the one before it twice, which is one
// reading of it, whether Go holds them by pointer or by value.
func TestNumbersDoNotUnfold(t *testing.T) {
	t.Parallel()
	const levels = 40
	objects := make([]string, levels)
	for i := range objects {
		held := "[]"
		if i > 0 {
			held = fmt.Sprintf(`[%d,%d]`, i, i)
		}
		objects[i] = fmt.Sprintf(`{"@class":"java.lang.IllegalStateException","@id":%d,"suppressed":["[Ljava.lang.Throwable;",%s]}`, i+1, held)
	}
	payload := []byte(`["java.util.ArrayList",[` + strings.Join(objects, ",") + `]]`)
	values := codectest.Typed[[]link](t, jackson.JsonJackson())
	got, err := values.Decode(payload)
	if err != nil || len(got) != levels {
		t.Fatalf("%d read, %v", len(got), err)
	}
	deepest := 0
	for at := &got[levels-1]; len(at.Suppressed) == 2; at = &at.Suppressed[1] {
		deepest++
	}
	if deepest != levels-1 {
		t.Errorf("%d levels, want %d", deepest, levels-1)
	}
	pointers := codectest.Typed[[]*failure](t, jackson.JsonJackson())
	if got, err := pointers.Decode(payload); err != nil || got[levels-1].Suppressed[0] != got[levels-2] {
		t.Errorf("the last one refers to another than the one before it, %v", err)
	}
}

// TestManyValues: what package java refuses to lower is refused, also where pointers
// share one thing.
func TestManyValues(t *testing.T) {
	t.Parallel()
	typed := codectest.Typed[[][]*int32](t, jackson.JsonJackson())
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
