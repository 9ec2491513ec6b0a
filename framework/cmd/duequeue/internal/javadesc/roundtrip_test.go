package javadesc_test

import (
	"bytes"
	"fmt"
	"math/big"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/cbor"
	"github.com/duequeue/duequeue/codecs/ion"
	"github.com/duequeue/duequeue/codecs/jackson"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/java/gotypes"
	"github.com/duequeue/duequeue/codecs/kryo5"
	"github.com/duequeue/duequeue/codecs/marshalling"
	"github.com/duequeue/duequeue/codecs/msgpack"
	"github.com/duequeue/duequeue/codecs/serialization"
	"github.com/duequeue/duequeue/codecs/smile"
)

// saidOf are the words of generated comments by what a codec says when it refuses a type or a value.
var saidOf = map[string]string{
	"it is not Serializable in Java":             "It is not Serializable: kryo5 and JSON carry it, java.io and River cannot.",
	"it is a record":                             "It is a record: River cannot carry it.",
	"it writes itself in Java":                   "java.io and River carry what that writes, not only these fields.",
	"its serialVersionUID is not known":          "Its serialVersionUID is known only to running Java",
	"its mapper has no Jdk8Module":               "Optional by Jdk8Module alone",
	"only with a mapper that has JavaTimeModule": "Jackson writes java.time by JavaTimeModule",
}

// TestEveryTypeOrANote: each codec decodes what it encodes of each generated type, or the source that
// javadesc wrote says what will not.
func TestEveryTypeOrANote(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("sample/sample.go")
	if err != nil {
		t.Fatal(err)
	}
	modules := jackson.Mapper{Dates: jackson.Timestamps, Optionals: true}
	all := []codecs.Codec{
		kryo5.New(), kryo5.New(kryo5.References()), marshalling.New(), serialization.New(),
		jackson.JsonJackson(), jackson.JsonJackson(modules), jackson.TypedJsonJackson(modules), jackson.JsonJackson3(),
		msgpack.Jackson(), cbor.Jackson(), smile.Jackson(), ion.Jackson(),
	}
	for name, typ := range described {
		for _, c := range all {
			for depth := range 4 { // which all containers within each other fill
				value := reflect.New(typ)
				fill(value.Elem(), depth)
				if err := roundTrip(c, value); err != nil && !told(string(source), err) {
					t.Errorf("%s, %s, filled %d deep: %v", name, c.Name(), depth, err)
				}
			}
		}
	}
}

// told reports whether the generated source says what an error is about.
func told(source string, err error) bool {
	for word, note := range saidOf {
		if strings.Contains(err.Error(), word) {
			return strings.Contains(source, note)
		}
	}
	return false
}

func roundTrip(c codecs.Codec, value reflect.Value) error {
	b, err := c.Bind(value.Type().Elem(), codecs.BindOptions{})
	if err != nil {
		return err
	}
	want, err := b.Append(nil, value.Elem().Interface())
	if err != nil {
		return err
	}
	again := reflect.New(value.Type().Elem())
	if err = b.Decode(want, again.Interface()); err != nil {
		return err
	}
	got, err := b.Append(nil, again.Elem().Interface())
	if err == nil && !bytes.Equal(got, want) {
		err = &codecs.EncodeError{Codec: c.Name(), Reason: fmt.Sprintf("%x again is %x", want, got)}
	}
	return err
}

// fill makes a value of what a type holds: nothing at depth 0, and else one of each.
func fill(v reflect.Value, depth int) {
	if class, err := gotypes.DeclaredClass(v.Type(), codecs.BindOptions{}); err == nil && class != nil && class.Kind == java.KindEnum {
		if v.Kind() == reflect.String {
			v.SetString(class.Constants[0].Name)
		}
		return
	}
	switch v.Interface().(type) {
	case time.Time:
		v.Set(reflect.ValueOf(time.UnixMilli(1700000000000).UTC()))
		return
	case *big.Int:
		v.Set(reflect.ValueOf(big.NewInt(7)))
		return
	case java.LocalDate:
		v.Set(reflect.ValueOf(java.LocalDate{Year: 2024, Month: 2, Day: 29}))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString("a")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(7)
	case reflect.Float32, reflect.Float64:
		v.SetFloat(1.5)
	case reflect.Pointer:
		if depth > 0 && !strings.HasPrefix(v.Type().String(), "*java.") {
			v.Set(reflect.New(v.Type().Elem()))
			fill(v.Elem(), depth-1)
		}
	case reflect.Slice:
		if depth > 0 {
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
			fill(v.Index(0), depth-1)
		}
	case reflect.Map:
		if depth > 0 {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			fill(key, depth-1)
			fill(value, depth-1)
			v.Set(reflect.MakeMap(v.Type()))
			v.SetMapIndex(key, value)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fill(v.Field(i), depth)
			}
		}
	default:
	}
}
