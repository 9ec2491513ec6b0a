package java

import (
	"cmp"
	"reflect"
	"time"

	"github.com/duequeue/duequeue/codecs/internal/jdk"
)

func (c *compiler) timeNode(declared TypeExpr, path string) *node {
	class := boxed(declared)
	switch class {
	case "", ClassDate, "java.sql.Date", "java.sql.Time", "java.sql.Timestamp", "java.time.Instant", "java.time.OffsetDateTime":
	case classLocalDateTime:
		return c.localNode(declared, path)
	default:
		return c.failDeclared(timeType, declared, path)
	}
	c.use(timeType, declared, cmp.Or(class, ClassDate), path)
	return &node{
		Node: Node{Kind: NodeTime, Class: cmp.Or(class, ClassDate)},
		assign: func(_ *assigner, v any, dst reflect.Value) error {
			switch v := v.(type) {
			case nil:
				dst.SetZero()
			case Date:
				dst.Set(reflect.ValueOf(v.Time()))
			case Instant:
				dst.Set(reflect.ValueOf(v.Time()))
			case OffsetDateTime:
				dst.Set(reflect.ValueOf(v.GoTime()))
			case ZonedDateTime:
				return &AssignError{Class: ClassOf(v), Type: timeType, Reason: "its zone would be lost: use java.ZonedDateTime"}
			default:
				return mismatch(v, dst)
			}
			return nil
		},
		lower: func(_ *lowerer, v reflect.Value) (any, error) {
			t := v.Interface().(time.Time)
			if t.IsZero() {
				return nil, nil
			}
			return lowerTime(t, class)
		},
	}
}

func lowerTime(t time.Time, class string) (any, error) {
	switch class {
	case "java.time.Instant":
		return Instant{Seconds: t.Unix(), Nanos: int32(t.Nanosecond())}, nil
	case "java.time.OffsetDateTime":
		out := OffsetDateTimeOf(t)
		if out.Offset > jdk.MaxOffset || out.Offset < -jdk.MaxOffset {
			return nil, &LowerError{Type: timeType, Reason: "its zone is more than 18 hours from UTC"}
		}
		return out, nil
	}
	d := Date{Class: cmp.Or(class, ClassDate), Millis: t.UnixMilli()}
	if class == "java.sql.Timestamp" {
		d.Nanos = int32(t.Nanosecond() % 1e6)
	}
	return d, nil
}

// durationNode carries time.Duration: as a Long of nanoseconds unless its tag
// says java.time.Duration.
func (c *compiler) durationNode(declared TypeExpr, path string) *node {
	const class = "java.time.Duration"
	number := declared
	if boxed(declared) == class {
		number = TypeExpr{}
	}
	n := c.scalarNode(durationType, number, path)
	if n.assign == nil {
		return n
	}
	whole := n.assign
	n.Kind = NodeDuration
	n.assign = func(s *assigner, v any, dst reflect.Value) error {
		d, ok := v.(Duration)
		if !ok {
			return whole(s, v, dst)
		}
		nanos, ok := d.Std()
		if !ok {
			return &AssignError{Class: class, Type: durationType, Reason: "the duration does not fit"}
		}
		dst.SetInt(int64(nanos))
		return nil
	}
	if boxed(declared) == class {
		c.use(durationType, declared, class, path)
		n.Class = class
		n.lower = func(_ *lowerer, v reflect.Value) (any, error) { return DurationOf(time.Duration(v.Int())), nil }
	}
	return n
}
