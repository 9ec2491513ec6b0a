package java

import (
	"errors"
	"fmt"
	"reflect"
	"time"
)

const (
	classLocalDateTime = "java.time.LocalDateTime"

	zoneFlag = "zone="
)

// loadZone returns the zone of a tag: a name of the time zone database, or an offset such
// as +08:00. That of the machine is none: another machine has another.
func loadZone(name string) (*time.Location, error) {
	switch name {
	case "", "Local":
		return nil, errors.New("flag zone needs the name of a time zone, such as zone=Europe/Berlin or zone=+08:00")
	}
	if offset, err := ParseZoneOffset(name); err == nil {
		return time.FixedZone(name, int(offset)), nil
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return nil, fmt.Errorf("flag zone: %w", err)
	}
	return zone, nil
}

// zoneUse is the zone of a field while it is compiled.
type zoneUse struct {
	zone *time.Location
	used bool
}

// field compiles a field of a struct.
func (c *compiler) field(d FieldDesc, path string) *node {
	outer := c.zone
	c.zone = &zoneUse{zone: d.Zone}
	n := c.compile(d.GoType, c.fieldType(d), path)
	if d.Zone != nil && !c.zone.used {
		n = c.fail(d.GoType, path, "its tag names a time zone, which only a time.Time declared as java.time.LocalDateTime has")
	}
	c.zone = outer
	return n
}

// localNode carries a time.Time as a LocalDateTime, which has no zone: that of the tag.
func (c *compiler) localNode(declared TypeExpr, path string) *node {
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
			case LocalDateTime:
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
			return LocalDateTimeOf(t, zone), nil
		},
	}
}

// GoTime returns the time at which clocks in a zone show d. Of a time that they show twice
// it is one of both, and one that they skip is moved by what they skip, see [time.Date].
func (d LocalDateTime) GoTime(zone *time.Location) time.Time {
	p := d.split()
	return p.In(zone)
}

// LocalDateTimeOf returns what clocks in a zone show at t.
func LocalDateTimeOf(t time.Time, zone *time.Location) LocalDateTime {
	local := OffsetDateTimeOf(t.In(zone))
	return LocalDateTime{local.Date, local.Time}
}
