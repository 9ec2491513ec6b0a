package inspect

import (
	"slices"
	"strings"

	"github.com/duequeue/duequeue/codecs/java/classfile"
)

// methodReader reads one method for the calls of Redisson and Jackson.
type methodReader struct{ sinks []sink }

func (r *methodReader) sink(s sink) {
	if len(r.sinks) < mostConfigured {
		r.sinks = append(r.sinks, s)
	}
}

// sink is a codec that is passed to Redisson.
type sink struct {
	call, queue string
	codec       any
	branch      bool
}

// visit follows a call: its result is what the call returns, as far as it matters.
func (r *methodReader) visit(c classfile.Call) any {
	isQueue := slices.Contains([]string{"getBlockingQueue", "getQueue", "getBlockingDeque", "getDeque"}, c.Name) && len(c.Args) == 2
	switch o, _ := c.Receiver.(*classfile.Object); {
	case c.Name == "setCodec" && strings.HasPrefix(c.Class, "org.redisson.config.") && len(c.Args) == 1:
		r.sink(sink{c.Name, "", c.Args[0], c.Branch})
		return c.Receiver
	case isQueue && strings.HasPrefix(c.Class, "org.redisson.") && strings.HasPrefix(c.Descriptor, "(Ljava/lang/String;Lorg/redisson/client/codec/Codec;)"):
		queue, _ := c.Args[0].(string)
		r.sink(sink{c.Name, queue, c.Args[1], c.Branch})
	case c.Name == "<init>" && o != nil && o.Is == nil:
		o.Is = construct(c)
		return nil
	case codecOf(c.Receiver) != nil:
		codecOf(c.Receiver).note("calls ", c.Name, "(…) of the codec, which is not read")
	case o != nil && o.Is != nil:
		return onObject(c, o)
	case c.IsMethod() && c.Receiver == nil:
		if v := ofStatic(c); v != nil {
			return v
		}
	case !c.IsMethod() && len(c.Args) == 0:
		return ofField(c)
	}
	passed(c)
	return origin{"a call of ", c.Name, "()"}
}

// ofStatic returns what static methods make.
func ofStatic(c classfile.Call) any {
	text := ""
	if len(c.Args) > 0 {
		text, _ = c.Args[0].(string)
	}
	switch [2]string{c.Class, c.Name} {
	case [2]string{"java.time.format.DateTimeFormatter", "ofPattern"}:
		if text != "" {
			return pattern(text)
		}
	case [2]string{"java.util.TimeZone", "getTimeZone"}:
		if text != "" {
			return timeZone(text)
		}
	case [2]string{"java.util.TimeZone", "getDefault"}:
		return timeZone("")
	case [2]string{databind + "json.JsonMapper", "builder"}:
		return &classfile.Object{Class: c.Class, Is: newMapper()}
	}
	return nil
}

func newMapper() *objectMapper { return &objectMapper{set: map[string]string{}} }

// ofField returns what a field holds.
func ofField(c classfile.Call) any {
	switch {
	case c.Receiver != nil:
		return origin{"the field ", c.Name, ""}
	case c.Name == "INSTANCE" && isCodec(c.Class):
		return &redissonCodec{class: c.Class}
	case c.Class == "java.lang.Long" && c.Name == "TYPE":
		return classfile.ClassValue{Class: "long"}
	}
	return classfile.EnumValue{Class: c.Class, Name: c.Name}
}

func isCodec(class string) bool {
	return strings.HasPrefix(class, "org.redisson.codec.") || strings.HasPrefix(class, "org.redisson.client.codec.")
}

// construct returns what a constructor makes, nil for what does not matter.
func construct(c classfile.Call) any {
	var first any
	if len(c.Args) > 0 {
		if first = c.Args[0]; first == nil {
			first = origin{what: unknown}
		}
	}
	switch {
	case isCodec(c.Class):
		return makeCodec(c)
	case c.Class == databind+"ObjectMapper" || c.Class == databind+"json.JsonMapper":
		om := newMapper()
		if len(c.Args) > 0 {
			om.note("what is passed to new ObjectMapper is not read")
		}
		return om
	case c.Class == "java.text.SimpleDateFormat":
		return &dateFormat{pattern: first}
	case strings.HasSuffix(c.Class, "Module") && strings.HasPrefix(c.Class, "com.fasterxml.jackson."):
		return &jacksonModule{class: c.Class, patterns: map[string]string{}, longs: map[string]bool{}}
	case localSettings[c.Class] != "" || c.Class == databind+"ser.std.ToStringSerializer":
		return &serializer{c.Class, first}
	}
	passed(c)
	return nil
}

func makeCodec(c classfile.Call) *redissonCodec {
	k := &redissonCodec{class: c.Class}
	for n, p := range c.Types {
		v := c.Args[n]
		if v == nil {
			v = origin{what: unknown}
		}
		switch {
		case p == "Lorg/redisson/client/codec/Codec;":
			k.inner = v // of several the last one counts
		case strings.HasSuffix(p, "/ObjectMapper;"):
			if k.mapper = v; mapperOf(v) != nil { // the codec takes a copy
				k.mapper = &classfile.Object{Is: mapperOf(v).copy()}
			}
		case p != "Ljava/lang/Class;" && p != "Ljava/lang/ClassLoader;" && !strings.HasSuffix(p, "/TypeReference;"):
			k.note("what is passed to the constructor of ", k.simple(), " is not read")
		}
	}
	if k.simple() == composite && len(c.Types) < 3 {
		k.inner = nil
	}
	return k
}

// mapperOf returns the ObjectMapper that a value is, nil for one that is not read.
func mapperOf(v any) *objectMapper {
	o, _ := v.(*classfile.Object)
	if o == nil {
		return nil
	}
	m, _ := o.Is.(*objectMapper)
	return m
}

// passed notes mappers and modules that are passed to what is not read.
func passed(c classfile.Call) {
	name, after := c.Name, "(mapper), which is not read"
	switch {
	case c.Class == "":
		name, after = "", "a lambda, which is not read"
	case c.Name == "<init>":
		name, after = c.Class, "'s constructor, which is not read"
	}
	for _, v := range c.Args {
		o, _ := v.(*classfile.Object)
		if o == nil {
			continue
		}
		switch is := o.Is.(type) {
		case *objectMapper:
			is.note("calls ", name, after)
		case *jacksonModule:
			is.note("with a module, calls ", name, after)
		}
	}
}

// onObject follows a call of a method of what the code has made.
func onObject(c classfile.Call, o *classfile.Object) any {
	switch is := o.Is.(type) {
	case *objectMapper:
		if c.Name == "copy" {
			return &classfile.Object{Class: o.Class, Is: is.copy()}
		}
		is.call(c)
		if strings.HasPrefix(c.Name, "get") {
			return origin{"a call of ", c.Name, "()"}
		}
	case *jacksonModule:
		is.call(c)
	case *dateFormat:
		if c.Name == "setTimeZone" && len(c.Args) == 1 {
			is.zone = c.Args[0]
		}
	}
	return o
}
