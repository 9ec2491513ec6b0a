package bridge

import (
	"reflect"
	"time"

	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/java/gotypes"
)

const classLocalDateTime = "java.time.LocalDateTime"

// zoneUse is the zone of a field while it is compiled.
type zoneUse struct {
	zone *time.Location
	used bool
}

// field compiles a field of a struct.
func (c *compiler) field(d gotypes.FieldDesc, path string) *node {
	outer := c.zone
	c.zone = &zoneUse{zone: d.Zone}
	n := c.compile(d.GoType, c.fieldType(d), path)
	if d.Zone != nil && !c.zone.used && !d.Format.Instant(d.Declared) {
		n = c.fail(d.GoType, path, "its tag names a time zone, which only a time.Time declared as java.time.LocalDateTime has")
	}
	c.zone = outer
	return c.absent(n, d)
}

// absent returns the node of a field, in which the zero value of a struct is null where the field is
// declared as a type variable: R<Order> of Java has one without data for each error, and R[Order] of
// Go has no nil.
func (c *compiler) absent(n *node, d gotypes.FieldDesc) *node {
	if n.Kind != NodeBean || d.GoType.Kind() != reflect.Struct || d.GoType.Size() == 0 || d.Type.Dims > 0 || d.Owner == nil {
		return n
	}
	if class, err := gotypes.DeclaredClass(d.Owner, c.opts); err != nil || class == nil || !class.Variable(d.Type) {
		return n
	}
	own := *n
	own.Absent, own.of = true, &own
	own.lower = func(l *lowerer, v reflect.Value) (any, error) {
		if v.IsZero() {
			return nil, nil
		}
		return n.lower(l, v)
	}
	return &own
}

// localNode carries a time.Time as a LocalDateTime, which has no zone: that of the tag.
func (c *compiler) localNode(declared java.TypeExpr, path string) *node {
	if c.zone == nil || c.zone.zone == nil {
		return c.fail(timeType, path, `a java.time.LocalDateTime has no zone: name one in the tag, as in java:"at,java.time.LocalDateTime,zone=Europe/Berlin", `+
			"or use java.LocalDateTime")
	}
	c.zone.used = true
	zone := c.zone.zone
	c.use(timeType, declared, classLocalDateTime, path)
	return &node{
		Node: Node{Kind: NodeOther, Class: classLocalDateTime, Zone: zone},
		assign: func(_ *assigner, v any, dst reflect.Value) error {
			switch v := v.(type) {
			case nil:
				dst.SetZero()
			case java.LocalDateTime:
				dst.Set(reflect.ValueOf(v.GoTime(zone)))
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
			return java.LocalDateTimeOf(t, zone), nil
		},
	}
}
