package kryo5

import (
	"bytes"
	"errors"
	"strings"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/option"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/kryo5/internal/layout"
	"github.com/duequeue/duequeue/codecs/serialization"
)

// throwable is the root of all exceptions.
const throwable = "java.lang.Throwable"

// streamHeader begins what an ObjectOutputStream writes: magic and version.
var streamHeader = []byte{0xac, 0xed, 0, 5}

// streamsSince are the releases from which on Redisson leaves classes to Java
// serialization, by serializer entry. Entries that are not there always were.
var streamsSince = map[string]option.Release{
	"java.util.Collections$": {3, 35, 0}, "java.util.EnumMap": {3, 36, 0},
	"java.net.InetAddress": {3, 38, 0}, "java.net.SocketAddress": {3, 38, 0},
}

// replaced are classes whose objects are written to a stream as objects of another one,
// since they have a writeReplace method.
var replaced = map[string]string{
	"java.util.Collections$UnmodifiableRandomAccessList": "java.util.Collections$UnmodifiableList",
	"java.util.Collections$SynchronizedRandomAccessList": "java.util.Collections$SynchronizedList",
	"java.net.Inet4Address":                              "java.net.InetAddress",
	"java.net.Inet6Address":                              "java.net.InetAddress",
}

// addStreams adds the classes that Java serialization writes. Each serializer
// entry has one stream per payload.
func (k *catalog) addStreams() {
	stream := func(entry string, before *class, names ...string) {
		for _, name := range names {
			own := before
			if before != nil {
				b := *before
				b.name, own = name, &b
			}
			if k.isAllowed(name) && own != nil { // registered before Redisson's serializer
				k.add(*own)
				continue
			}
			k.add(class{name: name, read: readStream, write: writeStream, stream: entry, before: own, partial: true})
		}
	}
	list := &class{read: readCollection, acceptsNull: true, list: true, partial: true, shape: shape{fixed: -1, readOnly: true}}
	mapping := &class{read: readMap, acceptsNull: true, mapping: true, partial: true, shape: shape{fixed: -1, readOnly: true}}
	for _, kind := range []string{"java.util.Collections$Unmodifiable", "java.util.Collections$Synchronized", "java.util.Collections$Checked"} {
		for name := range strings.FieldsSeq("Collection List RandomAccessList Set SortedSet NavigableSet Queue SequencedCollection SequencedSet") {
			stream(kind+name, list, kind+name)
		}
		for name := range strings.FieldsSeq("Map SortedMap NavigableMap SequencedMap") {
			stream(kind+name, mapping, kind+name)
		}
	}
	stream("java.util.EnumMap", mapping, "java.util.EnumMap")
	var nothing *class
	if k.since.Before(streamsSince["java.net.InetAddress"]) {
		nothing = &class{read: readStateless, zeroWidth: true, shape: shape{readOnly: true}}
	}
	stream("java.net.InetAddress", nothing, "java.net.InetAddress", "java.net.Inet4Address", "java.net.Inet6Address")
	stream("java.net.SocketAddress", nothing, "java.net.InetSocketAddress")
	stream(throwable, nil, throwable)
}

// streams are the object streams of one payload, by serializer entry.
type streams struct {
	open map[string]*serialization.Stream
	// written are copies of lists and objects that a stream has under another
	// class, so that one stays one.
	written map[any]any
}

func (s *streams) reset() {
	if len(s.open) > 0 {
		clear(s.open)
		clear(s.written)
	}
}

func (s *streams) of(entry string, limits codecs.Limits) *serialization.Stream {
	st := s.open[entry]
	if st == nil {
		if s.open == nil {
			s.open = map[string]*serialization.Stream{}
		}
		st = serialization.NewStream(limits)
		s.open[entry] = st
	}
	return st
}

func readStream(d *decoder, c *class, ctx *layout.Type) (any, error) {
	if c.before != nil && d.streams.open[c.stream] == nil && !bytes.HasPrefix(d.in[d.at:], streamHeader) {
		v, err := c.before.read(d, c.before, ctx)
		if m, ok := v.(*java.Map); ok && len(m.Entries) > 0 {
			if k, ok := m.Entries[0].Key.(java.Enum); ok && c.name == "java.util.EnumMap" {
				m.Of = k.Class // an old EnumMap names it in its keys alone
			}
		}
		return v, err
	}
	start := d.at
	if err := d.enter(start, 1, 1); err != nil {
		return nil, err
	}
	defer d.leave()
	limits := d.limits
	limits.Elements, limits.Depth = max(1, d.elements), max(1, d.limits.Depth-d.depth)
	v, next, err := d.streams.of(c.stream, limits).Read(d.in, d.at)
	if err == nil {
		d.at = next
		return d.streamed(start, c, v)
	}
	own := codecs.DecodeError{Offset: -1, Err: err}
	if e, ok := errors.AsType[*codecs.DecodeError](err); ok {
		own = *e
	}
	own.Codec = name
	if own.Class == "" {
		own.Class = c.name
	}
	return nil, &own
}

// streamed checks that the object is what the class before the stream says, and
// gives it that class.
func (d *decoder) streamed(start int, c *class, v any) (any, error) {
	is := java.ClassOf(v)
	if v == nil || is != c.name && is != replaced[c.name] {
		return nil, d.faultIn(c, start, "its stream holds a %q", is)
	}
	switch v := v.(type) {
	case *java.List:
		v.Class = c.name
	case *java.Map:
		v.Class = c.name
	case *java.Object:
		v.Class = c.name
	}
	return v, nil
}

// thrown returns a class for an exception of the user, of which no description is
// needed, since a stream brings its own: one that follows here, or, where name and
// stream fit, one that goes on. Between the class and the stream there may be a
// flag and a reference.
func (d *decoder) thrown(name string) *class {
	ahead := d.in[d.at:min(len(d.in), d.at+len(streamHeader)+2)]
	if d.streams.open[throwable] == nil && !bytes.Contains(ahead, streamHeader) {
		return nil
	}
	return exception(name)
}

func exception(name string) *class {
	return &class{
		name: name, wire: appendClassName(nil, name), read: readStream, write: writeStream, stream: throwable, partial: true,
	}
}

// thrownObject reports whether an object is an exception, by what its stream said.
func thrownObject(v any) bool {
	o, ok := v.(*java.Object)
	if !ok || o == nil {
		return false
	}
	for s := o.Serial; s != nil; s = s.Super {
		if s.Class == throwable {
			return true
		}
	}
	return false
}

func writeStream(e *encoder, c *class, v any, _ *layout.Type) error {
	for prefix, since := range streamsSince {
		if strings.HasPrefix(c.stream, prefix) && e.known.since.Before(since) {
			return encodeFault(v, "Redisson before %s cannot read a %s", since, c.name)
		}
	}
	if err := e.enter(); err != nil {
		return err
	}
	defer e.leave()
	limits := codecs.Limits{Elements: -1, StringBytes: -1, Bytes: -1, Depth: max(1, e.maxDepth-e.depth)}
	out, err := e.streams.of(c.stream, limits).Append(e.out, e.streams.replace(v))
	if err == nil {
		e.out = out
		return nil
	}
	own := codecs.EncodeError{Reason: "Java serialization", Err: err}
	if e, ok := errors.AsType[*codecs.EncodeError](err); ok {
		own = *e
	}
	own.Codec = name
	return &own
}

func (s *streams) replace(v any) any {
	class := replaced[java.ClassOf(v)]
	if class == "" {
		return v
	}
	if w := s.written[v]; w != nil {
		return w
	}
	var w any
	switch v := v.(type) {
	case *java.List:
		l := *v
		l.Class, w = class, &l
	case *java.Object:
		o := *v
		o.Class, w = class, &o
	default:
		return v
	}
	if s.written == nil {
		s.written = map[any]any{}
	}
	s.written[v] = w
	return w
}
