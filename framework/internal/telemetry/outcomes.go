package telemetry

import (
	"sync"
	"sync/atomic"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
)

// maxErrorTypes bounds the attribute sets of one operation: error.type comes
// from Go types at worst, but a careless ErrorType method must not blow up a
// metrics store.
const maxErrorTypes = 64

// otherError is the conventions' name for anything else.
const otherError = "_OTHER"

// outcomes holds the measurement options of an operation: one set for success
// and one per error.type, made once.
type outcomes struct {
	base  attribute.Set
	ok    *options
	known sync.Map // error.type → *options
	count atomic.Int32
}

type options struct {
	record []metric.RecordOption
	add    []metric.AddOption
}

func newOptions(set attribute.Set) *options {
	o := metric.WithAttributeSet(set)
	return &options{record: []metric.RecordOption{o}, add: []metric.AddOption{o}}
}

func (o *outcomes) init(base attribute.Set) {
	o.base, o.ok = base, newOptions(base)
}

// of returns the options for an error type; "" is success.
func (o *outcomes) of(errorType string) *options {
	if errorType == "" {
		return o.ok
	}
	if found, ok := o.known.Load(errorType); ok {
		return found.(*options)
	}
	if o.count.Load() >= maxErrorTypes && errorType != otherError {
		return o.of(otherError)
	}
	made := newOptions(attribute.NewSet(append(o.base.ToSlice(), AttrErrorType.String(errorType))...))
	found, loaded := o.known.LoadOrStore(errorType, made)
	if !loaded {
		o.count.Add(1)
	}
	return found.(*options)
}
