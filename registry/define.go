package registry

import (
	"fmt"
	"reflect"
	"runtime"

	"github.com/duequeue/duequeue/codecs"
)

// Define declares a queue of payloads of type T. Code names it, in Redis too
// unless [Key] is given; title is what people call it, and may be empty.
//
// Define never panics and is meant for package-level variables: mistakes are
// kept in the queue, with file and line of the call, and are reported by
// [Validate], by [New] and when an application is built on the queue. The codec
// is bound to T here, so that a type it cannot carry is found without a message.
//
// Defaults: codec kryo5 (Redisson's own since 3.19), payloads up to 1 MiB, 20
// attempts, exponential backoff from 1 s to 12 h (see [Retries]), 1 min for the handler
// and 10 s of grace; see [Policy].
func Define[T any](code, title string, opts ...Option) *Queue[T] {
	d := newDeclaration(code)
	d.options(opts)
	d.at = place(2 + d.callerSkip) // place, Define
	d.names(title)
	d.payloads(reflect.TypeFor[T]())
	d.lateness()
	d.journal()
	typed := bind[T](d)
	return &Queue[T]{
		code: code, title: title, policy: d.policy, typed: typed,
		declared: d.at, mistakes: d.finish(),
	}
}

// place returns file:line of the caller skip frames up.
func place(skip int) string {
	if _, file, line, ok := runtime.Caller(skip); ok {
		return fmt.Sprintf("%s:%d", file, line)
	}
	return "unknown"
}

// bind binds the codec to T. A codec that panics is a mistake like others.
func bind[T any](d *declaration) (typed codecs.Typed[T]) {
	if d.policy.Codec == nil {
		return typed // reported already
	}
	defer func() {
		if p := recover(); p != nil {
			d.add(&PayloadError{Code: d.code, Type: reflect.TypeFor[T](), Err: fmt.Errorf("the codec panicked: %v", p)})
		}
	}()
	typed, err := codecs.For[T](d.policy.Codec, codecs.BindOptions{Classes: d.policy.classes})
	for _, e := range flatten(err) {
		d.add(&PayloadError{Code: d.code, Type: reflect.TypeFor[T](), Err: e})
	}
	return typed
}
