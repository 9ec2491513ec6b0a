package fst

import (
	"cmp"
	"strconv"

	"github.com/duequeue/duequeue/codecs/internal/jdk"
	"github.com/duequeue/duequeue/codecs/internal/serial"
	"github.com/duequeue/duequeue/codecs/java"
)

// wrong reports a field of a JDK class that does not hold what it must.
func (d *decoder) wrong(b *build, field string) error {
	return d.FailClass(b.at, b.class.name, "its field %s holds %s: another codec, or a descriptor that does not fit", field, cmp.Or(java.ClassOf(b.get(field)), "null"))
}

// shapedAs makes the value of a class of the JDK as the object streams make it, of its fields.
func shapedAs(class string) func(d *decoder, b *build) error {
	desc := serial.Known(class)
	return func(d *decoder, b *build) error {
		in, _, err := d.Open(b.at, desc)
		if err != nil {
			return err
		}
		for i := range in.Levels {
			l := &in.Levels[i]
			for _, f := range l.Desc.Fields {
				l.Fields = append(l.Fields, b.get(f.Name))
			}
		}
		in.Levels[len(in.Levels)-1].Items = b.items
		b.value, err = d.Close(b.at, in, b.target(), nil)
		return err
	}
}

func comparator(_ *decoder, b *build) error {
	switch c := b.get("comparator"); {
	case b.list != nil:
		b.list.Comparator = c
	case b.mapping != nil:
		b.mapping.Comparator = c
	}
	return nil
}

func keyType(d *decoder, b *build) error {
	of, ok := b.get("keyType").(java.ClassRef)
	if !ok {
		return d.wrong(b, "keyType")
	}
	b.mapping.Of = string(of)
	return nil
}

func atomicBoolean(d *decoder, b *build) error {
	n, _ := b.get("value").(int32)
	if n != 0 && n != 1 || len(b.object.Fields) != 1 {
		return d.wrong(b, "value")
	}
	b.object.Fields[0].Value = n == 1
	return nil
}

func bits(d *decoder, b *build) error {
	field := "words" // by defaultWriteObject
	if b.get("bits") != nil {
		field = "bits" // by writeFields
	}
	words, ok := b.get(field).([]int64)
	if !ok {
		return d.wrong(b, field)
	}
	b.value = bitSet(words)
	return nil
}

func text(field string) func(d *decoder, b *build) error {
	return func(d *decoder, b *build) error {
		s, ok := b.get(field).(string)
		if !ok {
			return d.wrong(b, field)
		}
		b.value = java.Text{Class: b.class.name, Value: s}
		return nil
	}
}

// url puts the parts together as URL.toExternalForm does.
func url(d *decoder, b *build) error {
	protocol, ok := b.get("protocol").(string)
	if !ok {
		return d.wrong(b, "protocol")
	}
	s := protocol + ":"
	if authority, _ := b.get("authority").(string); authority != "" {
		s += "//" + authority
	} else if host, _ := b.get("host").(string); host != "" {
		s += "//" + host
		if port, _ := b.get("port").(int32); port >= 0 {
			s += ":" + strconv.Itoa(int(port))
		}
	}
	file, _ := b.get("file").(string)
	s += file
	if ref, ok := b.get("ref").(string); ok {
		s += "#" + ref
	}
	b.value = java.Text{Class: b.class.name, Value: s}
	return nil
}

// date makes a date of one of the classes in java.sql. A Timestamp's Date level
// holds whole seconds, the rest is in nanos.
func date(d *decoder, b *build) error {
	ms, ok := b.get("time").(int64)
	if !ok {
		return d.wrong(b, "time")
	}
	v := java.Date{Class: b.class.name, Millis: ms}
	if nanos, ok := b.get("nanos").(int32); ok {
		if !jdk.ValidNanos(nanos) {
			return d.wrong(b, "nanos")
		}
		v = timestamp(v, nanos)
	}
	b.value = v
	return nil
}

func calendar(d *decoder, b *build) error {
	zone, ok := b.get("savedZone").(java.Text)
	if !ok {
		zone, ok = b.get("zone").(java.Text)
	}
	if !ok {
		return d.wrong(b, "zone")
	}
	c := &java.Calendar{Class: b.class.name, Zone: zone.Value}
	c.Millis, _ = b.get("time").(int64)
	c.Lenient, _ = b.get("lenient").(bool)
	c.FirstDay, _ = b.get("firstDayOfWeek").(int32)
	c.MinimalDays, _ = b.get("minimalDaysInFirstWeek").(int32)
	c.Cutover, _ = b.get("gregorianCutover").(int64)
	b.value = *c
	return nil
}
