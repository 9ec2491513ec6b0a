package fst

import (
	"cmp"
	"math/big"
	"strconv"

	"github.com/duequeue/duequeue/codecs/internal/jdk"
	"github.com/duequeue/duequeue/codecs/internal/jdkclass"
	"github.com/duequeue/duequeue/codecs/java"
)

// wrong reports a field of a JDK class that does not hold what it must.
func (d *decoder) wrong(b *build, field string) error {
	return d.FailClass(b.at, b.class.name, "its field %s holds %s: another codec, or a descriptor that does not fit", field, cmp.Or(java.ClassOf(b.get(field)), "null"))
}

// shareList makes a wrapper hold what the collection in its field holds.
func shareList(field string) func(d *decoder, b *build) error {
	return func(d *decoder, b *build) error {
		of, ok := b.get(field).(*java.List)
		if !ok {
			return d.wrong(b, field)
		}
		list := b.list
		list.Elements, list.Class = of.Elements, jdkclass.Resolved(list.Class, of)
		d.views = append(d.views, func() { list.Elements = of.Elements })
		return nil
	}
}

func shareMap(field string) func(d *decoder, b *build) error {
	return func(d *decoder, b *build) error {
		of, ok := b.get(field).(*java.Map)
		if !ok {
			return d.wrong(b, field)
		}
		m := b.mapping
		m.Entries, m.Comparator = of.Entries, of.Comparator
		d.views = append(d.views, func() { m.Entries = of.Entries })
		return nil
	}
}

// keys makes a set of a map's keys.
func keys(d *decoder, b *build) error {
	m, ok := b.get("m").(*java.Map)
	if !ok {
		return d.wrong(b, "m")
	}
	// A map may be named by many handles: each copy of its keys is charged.
	if err := d.Charge(d.At, len(m.Entries), 0); err != nil {
		return err
	}
	b.list.Comparator = m.Comparator
	for _, e := range m.Entries {
		b.list.Elements = append(b.list.Elements, e.Key)
	}
	return nil
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

func single(_ *decoder, b *build) error {
	b.list.Elements = []any{b.get("element")}
	return nil
}

func singleEntry(_ *decoder, b *build) error {
	b.mapping.Entries = []java.Entry{{Key: b.get("k"), Value: b.get("v")}}
	return nil
}

// copies unfolds Collections.nCopies, within the limit of elements.
func copies(d *decoder, b *build) error {
	n, _ := b.get("n").(int32)
	if n < 0 {
		return d.wrong(b, "n")
	}
	if err := d.Charge(d.At, int(n), 0); err != nil {
		return err
	}
	b.list.Elements = make([]any, n)
	for i := range b.list.Elements {
		b.list.Elements[i] = b.get("element")
	}
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

func bigDecimal(d *decoder, b *build) error {
	n, ok := b.get("intVal").(*big.Int)
	scale, ok2 := b.get("scale").(int32)
	if !ok || !ok2 {
		return d.wrong(b, "intVal")
	}
	b.value = java.BigDecimal{Unscaled: n, Scale: scale}
	return nil
}

// fields makes a value of the fields of its class.
func fields(d *decoder, b *build) error {
	v, wrong := jdk.OfClass(b.class.name).FromFields(b.get)
	if wrong != "" {
		return d.wrong(b, wrong)
	}
	b.value = v
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
