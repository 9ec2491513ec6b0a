package bridge

import (
	"errors"
	"fmt"
	"reflect"
	"sync"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/jdk"
)

// Lower returns the Java form of any value: Java values stay as they are, plain
// Go ones become what package java says. The error is an [*codecs.EncodeError]. What pointers
// share becomes as many Java values, and a cycle is an error: see [LowerShared].
func Lower(v any) (any, error) {
	return newLowerer(&plans, false).lowerAny(reflect.ValueOf(v))
}

// LowerShared is [Lower] for formats with references: one Go pointer, map or
// slice becomes one Java object wherever it occurs, and cycles are kept. Two
// slices are one when they have the same elements in memory, and some. Values
// without size are never one, as Go gives all of them one address.
func LowerShared(v any) (any, error) {
	return newLowerer(&plans, true).lowerAny(reflect.ValueOf(v))
}

// planCache holds the plans of types met inside interfaces. A program has a
// bounded number of types.
type planCache struct {
	opts  codecs.BindOptions
	open  *openTypes
	types sync.Map // reflect.Type to *node or error
}

// plans are those of types without options.
var plans planCache

// newPlanCache returns the cache for a plan with these options.
func newPlanCache(opts codecs.BindOptions) *planCache {
	if len(opts.Classes) == 0 {
		return &plans
	}
	return &planCache{opts: opts}
}

func (s *lowerer) lowerAny(v reflect.Value) (any, error) {
	if !v.IsValid() {
		return nil, nil
	}
	t := v.Type()
	if jdk.Own(t) || jdk.ArrayClass(t) != "" {
		return ownOrNil(v), nil
	}
	n, err := s.plans.find(t)
	if err != nil {
		return nil, err
	}
	return n.lower(s, v)
}

func ownOrNil(v reflect.Value) any {
	if k := v.Kind(); (k == reflect.Pointer || k == reflect.Slice) && v.IsNil() {
		return nil
	}
	return v.Interface()
}

func (p *planCache) compile(t reflect.Type) any {
	plan, err := compilePlan(&Node{Go: t}, p.opts, p.open, false)
	if err != nil {
		return errors.Join(err)
	}
	if p.open != nil {
		if class := p.open.undescribed(plan); class != "" {
			return fmt.Errorf("the fields of %s are not described here: name the type in BindOptions.Classes, in a declaration by registry.JavaClass", class)
		}
	}
	return plan.root
}
