package java

import (
	"reflect"

	"github.com/duequeue/duequeue/codecs/internal/jdk"
)

// primitive is what Java has for one of its eight primitive types.
type primitive struct {
	name    string
	wrapper string       // the class of its values inside objects
	letter  byte         // in JVM signatures
	array   reflect.Type // the Go slice of an array of it
}

var primitives = [...]primitive{
	{"boolean", "java.lang.Boolean", 'Z', reflect.TypeFor[[]bool]()},
	{"byte", "java.lang.Byte", 'B', reflect.TypeFor[[]byte]()},
	{"char", "java.lang.Character", 'C', reflect.TypeFor[[]Char]()},
	{"short", "java.lang.Short", 'S', reflect.TypeFor[[]int16]()},
	{"int", "java.lang.Integer", 'I', reflect.TypeFor[[]int32]()},
	{"long", "java.lang.Long", 'J', reflect.TypeFor[[]int64]()},
	{"float", "java.lang.Float", 'F', reflect.TypeFor[[]float32]()},
	{"double", "java.lang.Double", 'D', reflect.TypeFor[[]float64]()},
}

// wrappers are the classes of primitives.
var wrappers = func() map[string]string {
	classes := map[string]string{}
	for _, p := range primitives {
		classes[p.name] = p.wrapper
		jdk.AddArray("["+string(p.letter), p.array)
	}
	return classes
}()

// primitiveBy returns the primitive that fits, nil for none.
func primitiveBy(fits func(p *primitive) bool) *primitive {
	for i := range primitives {
		if fits(&primitives[i]) {
			return &primitives[i]
		}
	}
	return nil
}

func primitiveNamed(name string) *primitive {
	return primitiveBy(func(p *primitive) bool { return p.name == name })
}
