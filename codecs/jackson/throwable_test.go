package jackson_test

import (
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/jackson"
)

// failure is a Throwable with what Java shows of it. Its number comes first, as in the
// bytes.
type failure struct {
	ID         int32          `java:"@id"`
	Cause      *failure       `java:"cause,java.lang.Throwable"`
	Localized  *string        `java:"localizedMessage"`
	Message    *string        `java:"message"`
	StackTrace []stackElement `java:"stackTrace,java.lang.StackTraceElement[]"`
	Suppressed []*failure     `java:"suppressed,java.lang.Throwable[]"`
}

func (failure) JavaClass() string { return "java.lang.IllegalStateException" }

type stackElement struct {
	ClassName string `java:"className"`
	File      string `java:"fileName"`
	Line      int32  `java:"lineNumber"`
	Method    string `java:"methodName"`
	Native    bool   `java:"nativeMethod"`
}

func (stackElement) JavaClass() string { return "final java.lang.StackTraceElement" }

// TestThrowable: a Throwable goes into a struct and is written again byte for byte;
// one that occurs again is one pointer, and its number.
func TestThrowable(t *testing.T) {
	t.Parallel()
	typed := codectest.Typed[[]*failure](t, jackson.JsonJackson())
	text := captured(t, "json-root-4.7.0.txt", "Throwable")
	text = strings.Replace(text, `"java.lang.RuntimeException"`, `"java.lang.IllegalStateException"`, 1)
	payload := `["java.util.ArrayList",[` + text + `]]`
	got := codectest.Must(typed.Decode([]byte(payload)))(t)
	if f := got[0]; f.ID != 1 || *f.Message != "boom" || f.Cause == nil || *f.Cause.Message != "cause" || f.StackTrace[0].Line != 10 {
		t.Errorf("read %+v", got[0])
	}
	if again, err := typed.Encode(got); err != nil || string(again) != payload {
		t.Errorf("%v\ngot  %s\nwant %s", err, again, payload)
	}

	boom := "boom"
	cause := &failure{Message: &boom}
	const shared = `["java.util.ArrayList",[{"@class":"java.lang.IllegalStateException","@id":1,"cause":` +
		`{"@class":"java.lang.IllegalStateException","@id":2,"message":"boom"},"suppressed":["[Ljava.lang.Throwable;",[2]]}]]`
	got = codectest.Must(typed.Decode([]byte(shared)))(t)
	if got[0].Cause == nil || got[0].Suppressed[0] != got[0].Cause {
		t.Errorf("the cause is another object than the one suppressed: %+v", got[0])
	}
	if again, err := typed.Encode(got); err != nil || string(again) != shared {
		t.Errorf("%v\ngot  %s\nwant %s", err, again, shared)
	}
	if _, err := typed.Decode([]byte(strings.Replace(shared, "[2]", "[3]", 1))); err == nil {
		t.Error("the number of nothing was read")
	}
	// Those that have no number get the next ones.
	if b, err := typed.Encode([]*failure{{}, {Cause: cause}}); err != nil || strings.Count(string(b), `"@id":`) != 3 || !strings.Contains(string(b), `"@id":3`) {
		t.Errorf("%s, %v", b, err)
	}
	if b, err := typed.Encode([]*failure{{ID: 1}, {ID: 1, Message: &boom}}); err == nil {
		t.Errorf("two with one number: %s", b)
	}
}
