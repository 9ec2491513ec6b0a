package protobuf

import (
	"fmt"
	"math/big"
	"reflect"
	"strings"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/bridge"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/java/gotypes"
)

// simple are the types beside those of basic kinds for which Java's codec takes the
// fallback.
var simple = map[reflect.Type]bool{
	reflect.TypeFor[any]():             true,
	reflect.TypeFor[time.Time]():       true,
	reflect.TypeFor[*big.Int]():        true,
	reflect.TypeFor[java.Date]():       true,
	reflect.TypeFor[java.BigDecimal](): true,
	reflect.TypeFor[java.UUID]():       true,
	reflect.TypeFor[java.ClassRef]():   true,
	reflect.TypeFor[*java.List]():      true,
	reflect.TypeFor[*java.Map]():       true,
	reflect.TypeFor[java.Text]():       true,
	reflect.TypeFor[*java.Object]():    true,
}

const noArrays = "Java's ProtobufCodec fails on arrays, also byte[]: put what is in it into a message"

// refuse returns why a Go type is no simple one, empty where it is.
func refuse(t reflect.Type, opts codecs.BindOptions) string {
	switch {
	case t == nil, simple[t]:
		return ""
	case reflect.PointerTo(t).Implements(reflect.TypeFor[proto.Message]()):
		return "a message is carried by its pointer: bind *" + t.Name()
	}
	if class := gotypes.ClassName(t, opts.Classes); class != "" {
		return fmt.Sprintf("%s is neither a protobuf message nor a simple class: Java writes it in the runtime format of protostuff, "+
			"which has no field names and no types, and is not carried. Use a generated message, or another codec", class)
	}
	switch t.Kind() {
	case reflect.Bool, reflect.String, reflect.Float32, reflect.Float64,
		reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		if t != reflect.TypeFor[time.Duration]() {
			return ""
		}
	case reflect.Slice:
		if t.Elem().Kind() != reflect.Uint8 {
			return ""
		}
		return noArrays
	case reflect.Map:
		return ""
	case reflect.Pointer:
		return refuse(t.Elem(), opts)
	case reflect.Array:
		if t.Len() == 16 && t.Elem().Kind() == reflect.Uint8 {
			return ""
		}
	}
	return "it is neither a protobuf message (*pb.Order) nor a type of simple values: Java writes other classes in the runtime format " +
		"of protostuff, which is not carried"
}

// classes are those for which Java's codec takes the fallback, as far as values of
// package java name them.
var classes = map[string]bool{
	java.ClassArrayList: true, java.ClassHashSet: true, java.ClassHashMap: true, java.ClassDate: true,
	"java.util.UUID": true, "java.util.Locale": true, "java.util.Currency": true, "java.util.regex.Pattern": true,
	"java.net.URI": true, "java.net.URL": true, "java.io.File": true, "java.lang.Class": true,
	"java.lang.StringBuilder": true, "java.lang.StringBuffer": true,
	"java.util.concurrent.atomic.AtomicBoolean": true, "java.util.concurrent.atomic.AtomicInteger": true,
	"java.util.concurrent.atomic.AtomicLong": true,
}

// refuseValue returns why a value of package java is none of a simple class.
func refuseValue(value any) string {
	class := ""
	switch v := value.(type) {
	case *java.List:
		if v != nil {
			class = v.Class
		}
	case *java.Map:
		if v != nil {
			class = v.Class
		}
	case *java.Object:
		if v != nil {
			class = v.Class
		}
	case java.Date:
		class = v.Class
	case java.Text:
		class = v.Class
	}
	if low, err := bridge.Lower(value); err == nil && strings.HasPrefix(java.ClassOf(low), "[") {
		return noArrays // that is what a slice of a Java primitive is, where no Go type is bound
	}
	if class == "" || classes[class] {
		return ""
	}
	return class + " is no simple class: Java writes it in the runtime format of protostuff, a collection without its elements"
}
