package java

import (
	"errors"
	"reflect"
	"sync"

	"github.com/duequeue/duequeue/codecs"
)

// Lower returns the Java form of any value: Java values stay as they are, plain
// Go ones become what [Plan] says. The error is a [*LowerError].
func Lower(v any) (any, error) {
	return lowerAny(reflect.ValueOf(v), 0)
}

// plans caches the plans of types met inside interfaces. A program has a
// bounded number of types.
var plans sync.Map // reflect.Type to *node or error

func lowerAny(v reflect.Value, depth int) (any, error) {
	if !v.IsValid() {
		return nil, nil
	}
	if depth > maxLowerDepth {
		return nil, tooDeep(v.Type())
	}
	t := v.Type()
	if isOwnType(t) || t == bytesType {
		return ownOrNil(v), nil
	}
	cached, ok := plans.Load(t)
	if !ok {
		cached = compileDynamic(t)
		plans.Store(t, cached)
	}
	if err, bad := cached.(error); bad {
		return nil, &LowerError{Type: t, Reason: "no Java value corresponds to it", Err: err}
	}
	return cached.(*node).lower(v, depth)
}

func ownOrNil(v reflect.Value) any {
	if k := v.Kind(); (k == reflect.Pointer || k == reflect.Slice) && v.IsNil() {
		return nil
	}
	return v.Interface()
}

func compileDynamic(t reflect.Type) any {
	p, err := Compile(t, codecs.BindOptions{})
	if err != nil {
		return errors.Join(err)
	}
	return p.root
}
