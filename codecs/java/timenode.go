package java

import (
	"math"
	"reflect"
	"time"

	"github.com/duequeue/duequeue/codecs/internal/jdk"
)

func (c *compiler) timeNode(declared TypeExpr, path string) *node {
	class := declared.boxed()
	switch class {
	case "", ClassDate, "java.sql.Date", "java.sql.Time", "java.sql.Timestamp", "java.time.Instant", "java.time.OffsetDateTime":
	case classLocalDateTime:
		return c.localNode(declared, path)
	default:
		return c.failDeclared(timeType, declared, path)
	}
	c.use(timeType, declared, or(class, ClassDate), path)
	return &node{
		Node: Node{Kind: NodeTime, Class: or(class, ClassDate)},
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
		if out.Offset > maxOffset || out.Offset < -maxOffset {
			return nil, &LowerError{Type: timeType, Reason: "its zone is more than 18 hours from UTC"}
		}
		return out, nil
	}
	d := Date{Class: or(class, ClassDate), Millis: t.UnixMilli()}
	if class == "java.sql.Timestamp" {
		d.Nanos = int32(t.Nanosecond() % 1e6)
	}
	return d, nil
}

// GoTime returns t as a Go time in a zone of that offset, UTC for 0.
func (t OffsetDateTime) GoTime() time.Time {
	p := t.split()
	return p.GoTime()
}

// OffsetDateTimeOf returns t with the offset of its zone.
func OffsetDateTimeOf(t time.Time) OffsetDateTime {
	var p jdk.Value
	p.SetTime(t)
	return offsetDateTimeFrom(&p)
}

// durationNode carries time.Duration: as a Long of nanoseconds unless its tag
// says java.time.Duration.
func (c *compiler) durationNode(declared TypeExpr, path string) *node {
	const class = "java.time.Duration"
	number := declared
	if declared.boxed() == class {
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
	if declared.boxed() == class {
		c.use(durationType, declared, class, path)
		n.Class = class
		n.lower = func(_ *lowerer, v reflect.Value) (any, error) { return DurationOf(time.Duration(v.Int())), nil }
	}
	return n
}

// Std returns d as a Go duration, and whether it fits: about 292 years.
func (d Duration) Std() (time.Duration, bool) {
	const most = math.MaxInt64 / int64(time.Second)
	if d.Seconds > most || d.Seconds < -most-1 {
		return 0, false
	}
	whole := d.Seconds * int64(time.Second)
	if d.Seconds == -most-1 { // its nanoseconds may bring it back into range
		sum := (d.Seconds+1)*int64(time.Second) + (int64(d.Nanos) - int64(time.Second))
		return time.Duration(sum), sum < 0
	}
	sum := whole + int64(d.Nanos)
	return time.Duration(sum), d.Seconds < 0 || sum >= 0
}

// DurationOf returns d as Java keeps it: the nanoseconds are never negative.
func DurationOf(d time.Duration) Duration {
	seconds, nanos := int64(d/time.Second), int64(d%time.Second)
	if nanos < 0 {
		seconds, nanos = seconds-1, nanos+int64(time.Second)
	}
	return Duration{Seconds: seconds, Nanos: int32(nanos)}
}
