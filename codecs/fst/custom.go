package fst

import "github.com/duequeue/duequeue/codecs/java"

// ReadExternal gives the Go twin of a class's readExternal method, for an
// Externalizable class. What read returns stands for the object; an error of in
// counts before it. The function must be safe for concurrent use.
func ReadExternal(class string, read func(in *Input) any) Option {
	return twin("ReadExternal", class, read != nil, read, func(s *settings) map[string]func(in *Input) any { return s.external })
}

// ReadObject gives the Go twin of a class's private readObject method, for a
// class whose writeObject writes more than its fields, or less. What read returns
// becomes the [java.Custom] items of the object; an error of in counts before it.
// Fields that defaultWriteObject or writeFields wrote are read with
// [Input.Fields]. The function must be safe for concurrent use.
func ReadObject(class string, read func(in *Input) []any) Option {
	return twin("ReadObject", class, read != nil, read, func(s *settings) map[string]func(in *Input) []any { return s.object })
}

// Input reads what a class of yours wrote with a java.io.ObjectOutput, call by
// call: [Input.Int] for writeInt, [Input.Object] for writeObject. After the first
// error all methods return zero values; see [Input.Err]. It must not be kept.
type Input struct {
	d        *decoder
	b        *build
	level    *level
	external bool
	err      error
}

// Err returns the first error, a [codecs.DecodeError].
func (in *Input) Err() error { return in.err }

func call[T any](in *Input, read func() (T, error)) T {
	var zero T
	if in.err != nil {
		return zero
	}
	v, err := read()
	if err != nil {
		in.err = err
		return zero
	}
	return v
}

// Bool reads what writeBoolean wrote.
func (in *Input) Bool() bool { return call(in, in.d.Byte) != 0 }

// Byte reads what writeByte or write(int) wrote.
func (in *Input) Byte() int8 { return int8(call(in, in.d.Byte)) }

// Short reads what writeShort wrote.
func (in *Input) Short() int16 { return int16(call(in, in.d.unit)) }

// Char reads what writeChar wrote.
func (in *Input) Char() java.Char { return java.Char(call(in, in.d.unit)) }

// Int reads what writeInt wrote.
func (in *Input) Int() int32 { return call(in, in.d.int32) }

// Long reads what writeLong wrote.
func (in *Input) Long() int64 { return call(in, in.d.int64) }

// Float reads what writeFloat wrote.
func (in *Input) Float() float32 { return call(in, in.d.float32) }

// Double reads what writeDouble wrote.
func (in *Input) Double() float64 { return call(in, in.d.float64) }

// UTF reads what writeUTF wrote.
func (in *Input) UTF() string { return call(in, in.d.text) }

// Bytes reads n bytes that write(byte[]) wrote. The result is a copy.
func (in *Input) Bytes(n int) []byte {
	return call(in, func() ([]byte, error) {
		if n < 0 {
			return nil, in.d.Fail(in.d.At, "%d bytes asked for", n)
		}
		b, err := in.d.Take(n)
		return append([]byte(nil), b...), err
	})
}

// Object reads what writeObject wrote.
func (in *Input) Object() any {
	return call(in, func() (any, error) {
		if in.external {
			return in.d.object("")
		}
		return in.d.hooked()
	})
}

// Fields reads what defaultWriteObject or writeFields wrote, into the object. It
// is an error in an Externalizable class, which has neither.
func (in *Input) Fields() {
	call(in, func() (any, error) {
		if in.external {
			return nil, in.d.Fail(in.d.At, "an Externalizable class writes no fields by itself")
		}
		return nil, in.d.written(in.b, in.level)
	})
}

// readExternal reads an object with a function of the user's.
func readExternal(read func(in *Input) any) func(d *decoder, c *class, at int) (any, error) {
	return func(d *decoder, _ *class, at int) (any, error) {
		slot := d.reserve(at, nil)
		in := &Input{d: d, external: true}
		v := read(in)
		if in.err != nil {
			return v, in.err
		}
		d.complete(slot, v)
		return v, nil
	}
}

// custom reads a level with a function of the user's.
func (d *decoder) custom(b *build, l *level) error {
	in := &Input{d: d, b: b, level: l}
	items := l.custom(in)
	if len(items) > 0 {
		b.object.Custom = append(b.object.Custom, java.Custom{Level: l.class, Items: items})
	}
	return in.err
}
