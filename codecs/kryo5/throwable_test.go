package kryo5

import (
	"testing"

	"github.com/duequeue/duequeue/codecs/java"
)

// TestDeclaredThrowable: a field declared as an exception holds any of the JDK's,
// whose hierarchy only its stream tells.
func TestDeclaredThrowable(t *testing.T) {
	t.Parallel()
	failure := func(cause any) *java.Object {
		return &java.Object{Class: "demo.Failure", Fields: []java.Field{{Name: "cause", Value: cause}}}
	}
	class, err := java.ParseClass("demo.Failure")
	if err != nil {
		t.Fatal(err)
	}
	class.Fields = []java.ClassField{{Name: "cause", Type: java.TypeExpr{Class: "java.lang.Throwable"}}}
	classes, err := java.NewClasses(class)
	if err != nil {
		t.Fatal(err)
	}
	c := New(Classes(classes))
	cause := &java.Object{Class: "java.lang.IllegalStateException", Serial: &java.Serial{
		Class: "java.lang.IllegalStateException", Flags: 2, Super: &java.Serial{Class: throwable, Flags: 2},
	}}
	payload, err := c.Encode(failure(cause))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Decode(payload); err != nil {
		t.Error(err)
	}
	payload, err = c.Encode(failure("no exception"))
	if err == nil {
		t.Errorf("a String was written where a Throwable is declared: %x", payload)
	}
}
