package bridge

import (
	"cmp"
	"encoding/binary"
	"reflect"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/jdk"
	"github.com/duequeue/duequeue/codecs/java"
)

func (c *compiler) timeNode(declared java.TypeExpr, path string) *node {
	class := boxed(declared)
	switch class {
	case "", java.ClassDate, "java.sql.Date", "java.sql.Time", "java.sql.Timestamp", "java.time.Instant", "java.time.OffsetDateTime":
	case classLocalDateTime:
		return c.localNode(declared, path)
	default:
		return c.failDeclared(timeType, declared, path)
	}
	c.use(timeType, declared, cmp.Or(class, java.ClassDate), path)
	return &node{
		Node: Node{Kind: NodeTime, Class: cmp.Or(class, java.ClassDate)},
		assign: func(_ *assigner, v any, dst reflect.Value) error {
			switch v := v.(type) {
			case nil:
				dst.SetZero()
			case java.Date:
				dst.Set(reflect.ValueOf(v.Time()))
			case java.Instant:
				dst.Set(reflect.ValueOf(v.Time()))
			case java.OffsetDateTime:
				dst.Set(reflect.ValueOf(v.GoTime()))
			case *java.Object:
				d, ok := inheritedDate(v)
				if !ok {
					return mismatch(v, dst)
				}
				dst.Set(reflect.ValueOf(d.Time()))
			case java.ZonedDateTime:
				return Misfit(java.ClassOf(v), timeType, "its zone would be lost: use java.ZonedDateTime")
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

// inheritedDate returns the date that an object is in the streams: one of a class that extends
// java.util.Date, which has written its milliseconds.
func inheritedDate(o *java.Object) (d java.Date, ok bool) {
	d.Class = o.Class
	for _, c := range o.Custom {
		if c.Level != java.ClassDate || len(c.Items) == 0 {
			continue
		}
		if block, is := c.Items[0].(java.Block); is && len(block) == 8 {
			d.Millis, ok = int64(binary.BigEndian.Uint64(block)), true
		}
	}
	for _, f := range o.Fields {
		if nanos, is := f.Value.(int32); is && f.Level == "java.sql.Timestamp" && jdk.ValidNanos(nanos) {
			d.Millis, d.Nanos = d.Millis+int64(nanos/1e6), nanos%1e6
		}
	}
	return d, ok
}

func lowerTime(t time.Time, class string) (any, error) {
	switch class {
	case "java.time.Instant":
		return java.Instant{Seconds: t.Unix(), Nanos: int32(t.Nanosecond())}, nil
	case "java.time.OffsetDateTime":
		out := java.OffsetDateTimeOf(t)
		if out.Offset > jdk.MaxOffset || out.Offset < -jdk.MaxOffset {
			return nil, &codecs.EncodeError{Type: timeType, Reason: "its zone is more than 18 hours from UTC"}
		}
		return out, nil
	}
	d := java.Date{Class: cmp.Or(class, java.ClassDate), Millis: t.UnixMilli()}
	if class == "java.sql.Timestamp" {
		d.Nanos = int32(t.Nanosecond() % 1e6)
	}
	return d, nil
}

// durationNode carries time.Duration: as a Long of nanoseconds unless its tag
// says java.time.Duration.
func (c *compiler) durationNode(declared java.TypeExpr, path string) *node {
	const class = "java.time.Duration"
	number := declared
	if boxed(declared) == class {
		number = java.TypeExpr{}
	}
	n := c.scalarNode(durationType, number, path)
	if n.assign == nil {
		return n
	}
	whole := n.assign
	n.Kind = NodeDuration
	n.assign = func(s *assigner, v any, dst reflect.Value) error {
		d, ok := v.(java.Duration)
		if !ok {
			return whole(s, v, dst)
		}
		nanos, ok := d.Std()
		if !ok {
			return Misfit(class, durationType, "the duration does not fit")
		}
		dst.SetInt(int64(nanos))
		return nil
	}
	if boxed(declared) == class {
		c.use(durationType, declared, class, path)
		n.Class = class
		n.lower = func(_ *lowerer, v reflect.Value) (any, error) { return java.DurationOf(time.Duration(v.Int())), nil }
	}
	return n
}
