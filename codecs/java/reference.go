package java

import (
	"fmt"
)

// ReferenceClass is the class of what Redisson puts into a queue, list or map in
// the place of one of its own objects.
const ReferenceClass = "org.redisson.RedissonReference"

// RedissonReference is what Java wrote for a Redisson object, such as an RMap or an
// RLock, that was put into a queue: not the object's contents, but where they are.
// Redisson does that unless its Config.setReferenceEnabled(false) says not to; its
// fields have been the same since 3.2.
//
// A queue that carries such objects alone can be declared with this type. Where
// decoding gives Java values, [ReferenceOf] recognises one among them.
type RedissonReference struct {
	// Type is the interface of the object, "org.redisson.api.RMap"; in 3.8 and older
	// it may be a class, "org.redisson.RedissonMap".
	Type string `java:"type"`
	// KeyName is the key in Redis, as the object was named.
	KeyName string `java:"keyName"`
	// Codec is the class of the object's codec, "org.redisson.codec.Kryo5Codec".
	Codec string `java:"codec"`
}

// JavaClass declares the class for all codecs, with its serialVersionUID.
func (RedissonReference) JavaClass() string {
	return ReferenceClass + " serial -2378564460151709127"
}

// String names what is referred to: `RMap "orders" (Kryo5Codec)`.
func (r RedissonReference) String() string {
	return fmt.Sprintf("%s %q (%s)", simpleName(r.Type), r.KeyName, simpleName(r.Codec))
}

func simpleName(class string) string {
	for i := len(class) - 1; i >= 0; i-- {
		if class[i] == '.' {
			return class[i+1:]
		}
	}
	return class
}

// ReferenceOf returns the reference that a decoded value is: a bean of
// [ReferenceClass], or a map or bean without a class that has its fields, as codecs
// without class names and Go maps give it.
func ReferenceOf(v any) (RedissonReference, bool) {
	switch v := v.(type) {
	case RedissonReference:
		return v, true
	case *RedissonReference:
		if v != nil {
			return *v, true
		}
	case *Object:
		if v != nil && (v.Class == ReferenceClass || v.Class == "") {
			return referenceFrom(v.Class != "", v.Get)
		}
	case map[string]any:
		if len(v) <= maxReferenceFields {
			return referenceFrom(false, func(name string) (any, bool) {
				field, ok := v[name]
				return field, ok
			})
		}
	case *Map:
		if v != nil && len(v.Entries) <= maxReferenceFields {
			return referenceFrom(false, func(name string) (any, bool) {
				for _, e := range v.Entries {
					if e.Key == name {
						return e.Value, true
					}
				}
				return nil, false
			})
		}
	}
	return RedissonReference{}, false
}

// maxReferenceFields is more than Jackson 3 makes of the class: it adds codecType,
// typeName, reactiveType and rxJavaType.
const maxReferenceFields = 8

// referenceFrom reads the fields; a value without class must have all of them and
// name a type of Redisson.
func referenceFrom(named bool, get func(name string) (any, bool)) (RedissonReference, bool) {
	var r RedissonReference
	for name, to := range map[string]*string{"type": &r.Type, "keyName": &r.KeyName, "codec": &r.Codec} {
		v, ok := get(name)
		if *to, _ = v.(string); !named && (!ok || *to == "") {
			return RedissonReference{}, false
		}
	}
	const own = "org.redisson."
	return r, named || len(r.Type) > len(own) && r.Type[:len(own)] == own
}
