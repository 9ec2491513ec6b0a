package javadesc_test

import (
	"encoding/hex"
	"errors"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/jackson"
	"github.com/duequeue/duequeue/codecs/kryo5"
	"github.com/duequeue/duequeue/codecs/marshalling"
	"github.com/duequeue/duequeue/codecs/serialization"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/javadesc/sample"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/javadesc/sample/nulls"
)

// payload returns what a released Redisson wrote of the sample's classes, see
// integration/java/src/vectors/classfile/Payloads.java.
func payload(t *testing.T, name string) []byte {
	t.Helper()
	script, err := os.ReadFile("../../testdata/script/decode-classes.txtar")
	_, rest, found := strings.Cut(string(script), "-- "+name+".hex --\n")
	line, _, _ := strings.Cut(rest, "\n")
	b, hexErr := hex.DecodeString(line)
	if err = errors.Join(err, hexErr); err != nil || !found || len(b) == 0 {
		t.Fatalf("no payload %s: %v", name, err)
	}
	return b
}

func carry[T any](t *testing.T, c codecs.Codec, name string) T {
	t.Helper()
	typed, err := codecs.For[T](c, codecs.BindOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want := payload(t, name)
	v, err := typed.Decode(want)
	if err != nil {
		t.Fatal(err)
	}
	got, err := typed.Encode(v)
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%s: %v\nencoded %x\nJava's   %x", name, err, got, want)
	}
	return v
}

// TestCarries decodes what Java wrote into generated types and encodes that to the
// same bytes.
func TestCarries(t *testing.T) {
	t.Parallel()
	order := carry[nulls.Order](t, kryo5.New(), "order")
	if *order.OrderID != "A100" || order.Op != nulls.OpSub || len(order.Items) != 2 || *order.Result.Data.SKU != "x3" || order.Result.Message != nil {
		t.Errorf("%+v", order)
	}
	node := carry[*sample.Node](t, kryo5.New(kryo5.References()), "refs")
	if node.Kids[0] != node.Kids[1] || node.Kids[0].Next != node {
		t.Error("shared and cyclic references are lost")
	}
	for name, c := range map[string]codecs.Codec{"marshalling": marshalling.New(), "serialization": serialization.New()} {
		if money := carry[*sample.Money](t, c, name); *money != (sample.Money{Cents: 1999, Currency: "EUR"}) {
			t.Errorf("%s: %+v", name, money)
		}
	}
}

// TestBinds lets kryo5 and JSON bind every generated type. The others refuse what
// Java could not write with them either: records, classes that are not serializable.
func TestBinds(t *testing.T) {
	t.Parallel()
	for name, typ := range described {
		for _, c := range []codecs.Codec{kryo5.New(), kryo5.New(kryo5.References()), jackson.JsonJackson()} {
			if _, err := c.Bind(typ, codecs.BindOptions{}); err != nil {
				t.Errorf("%s: %s: %v", c.Name(), name, err)
			}
		}
	}
	if _, err := kryo5.New().Bind(reflect.TypeFor[nulls.Order](), codecs.BindOptions{}); err != nil {
		t.Error(err)
	}
}
