package bridge

import (
	"reflect"
	"sync"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/java/gotypes"
)

// ReferenceReason says why a reference to a Redisson object does not go into another type, and
// what to do. It is "" for all other values.
func ReferenceReason(v any) string {
	if java.ClassOf(v) != java.ReferenceClass {
		return ""
	}
	r, _ := java.ReferenceOf(v)
	return "Java put a Redisson object into the queue, and wrote where it is: " + r.String() + "; let Java offer its contents, " +
		"or declare the queue with java.RedissonReference and read that key"
}

// knownClasses are the classes of Redisson that queues may hold without anybody's
// doing.
var knownClasses = sync.OnceValues(func() (*java.Classes, error) {
	return gotypes.ClassesOf(reflect.TypeFor[java.RedissonReference](), codecs.BindOptions{})
})

// WithKnown returns s and the description of [java.ReferenceClass], for codecs that
// cannot read a bean without one. A description that s has already wins.
func WithKnown(s *java.Classes) (*java.Classes, error) {
	if s.Find(java.ReferenceClass) != nil {
		return s, nil
	}
	known, err := knownClasses()
	if err != nil {
		return nil, err
	}
	return s.Join(known)
}
