package serial

import (
	"encoding/binary"
	"errors"

	"github.com/duequeue/duequeue/codecs/internal/jdk"
	"github.com/duequeue/duequeue/codecs/java"
)

func dateShapes() map[string]*shape {
	date := &shape{end: endDate, write: writer(writeDate)}
	return map[string]*shape{
		"java.util.Date":     date,
		"java.sql.Date":      date,
		"java.sql.Time":      date,
		"java.sql.Timestamp": date,
		jdk.SerClass:         {end: endTime, write: writeTime},
	}
}

func endDate(in *Instance, _ any) (any, error) {
	block, rest, err := in.level(java.ClassDate).items(8)
	if err != nil {
		return nil, err
	}
	if len(rest) > 0 {
		return nil, errors.New("a Date has one number")
	}
	d := java.Date{Class: in.Desc.Class, Millis: int64(binary.BigEndian.Uint64(block))}
	if d.Class != "java.sql.Timestamp" {
		return d, nil
	}
	nanos, err := in.own().int32("nanos")
	switch {
	case err != nil:
		return nil, err
	case !jdk.ValidNanos(nanos):
		return nil, errors.New("nanoseconds are not between 0 and 999,999,999")
	case d.Millis%1000 != 0:
		return nil, errors.New("the time of a Timestamp is not in whole seconds")
	}
	d.Millis += int64(nanos / 1_000_000)
	d.Nanos = nanos % 1_000_000
	return d, nil
}

func writeDate(in *Instance, d java.Date) error {
	millis := d.Millis
	if in.Desc.Class == "java.sql.Timestamp" {
		part := millis % 1000
		if part < 0 {
			part += 1000
		}
		millis -= part
		in.own().Fields = []any{int32(part)*1_000_000 + d.Nanos}
	}
	in.level(java.ClassDate).Items = []any{java.Block(binary.BigEndian.AppendUint64(nil, uint64(millis)))}
	return nil
}
