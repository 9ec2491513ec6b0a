package inspect

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/duequeue/duequeue/codecs/catalog"
	"github.com/duequeue/duequeue/codecs/jackson"
	"github.com/duequeue/duequeue/codecs/java/classfile"
	"github.com/duequeue/duequeue/codecs/sniff"
)

// configured is a codec that a method of the Java service sets.
type configured struct {
	Method  string   `json:"method"`            // com.example.RedissonConfig.redisson
	Call    string   `json:"call"`              // setCodec, getBlockingQueue
	Queue   string   `json:"queue,omitempty"`   // of getBlockingQueue, empty where the code computes it
	Java    string   `json:"java,omitempty"`    // TypedJsonJacksonCodec
	Codec   string   `json:"codec,omitempty"`   // by name, with what is read of its ObjectMapper
	Declare string   `json:"declare,omitempty"` // Go source
	Unread  []string `json:"unread,omitempty"`  // what is not read, or not carried

	mapped   bool // an ObjectMapper is passed to the codec
	settings string
}

// text says it for people.
func (c configured) text() string {
	text := c.Method + "() sets "
	if c.Call != setCodec {
		text = c.Method + "() calls " + c.Call + " for " + cmp.Or(c.Queue, "a queue") + " with "
	}
	switch text += cmp.Or(c.Java, "a codec"); {
	case !c.mapped || c.Declare == "":
	case c.settings == "":
		text += " with an ObjectMapper as it comes"
	default:
		text += " with an ObjectMapper: " + c.settings
	}
	return text
}

// codecsOf returns the codecs that methods of the service's own classes set.
func codecsOf(classes *classfile.Source, warn func(format string, args ...any)) (all []configured) {
	for f, err := range classes.Own() {
		switch {
		case err != nil:
			warn("%v", err)
			continue
		case len(all) >= mostConfigured:
			warn("more than %d methods set a codec", mostConfigured)
			return all
		case strings.HasPrefix(f.Name, "org.redisson.") || !f.Mentions("org/redisson/"):
			continue
		}
		for i := 0; i < len(f.Methods) && len(all) < mostConfigured; i++ {
			all = append(all, codecsIn(f, &f.Methods[i])...)
		}
	}
	return all
}

const (
	setCodec       = "setCodec"
	mostConfigured = 50
	mostUnread     = 20
)

// codecsIn returns the codecs that one method sets.
func codecsIn(f *classfile.File, m *classfile.Member) []configured {
	r := &methodReader{}
	end := f.Follow(m, r.visit)
	name := f.Name + "." + m.Name
	if rest, ok := strings.CutPrefix(m.Name, "lambda$"); ok { // javac names those of a method so
		name = f.Name + "." + rest[:max(strings.LastIndexByte(rest, '$'), 0)]
	}
	var all []configured
	for _, s := range r.sinks {
		c := configured{Method: name, Call: s.call, Queue: s.queue}
		if s.branch {
			c.Unread = append(c.Unread, "it stands in a branch of the method")
		}
		if !end {
			c.Unread = append(c.Unread, "the method is not read to its end")
		}
		c.describe(s.codec)
		if len(c.Unread) > mostUnread {
			c.Unread = append(c.Unread[:mostUnread], "and more")
		}
		all = append(all, c)
	}
	return all
}

// describe says what the value that is passed as a codec is.
func (c *configured) describe(v any) {
	of := codecOf(v)
	if of == nil {
		c.Unread = append(c.Unread, "the codec comes from "+source(v)+", which is not read")
		return
	}
	c.Java, c.mapped = of.simple(), of.mapper != nil
	name, ok := of.name(c)
	if !ok {
		return
	}
	goSource, ok := goCodec(name, map[string]bool{})
	if !ok && !c.mapped {
		c.Unread = append(c.Unread, c.Java+" has no declaration")
		return
	}
	_, c.settings, _ = strings.Cut(name, "+")
	c.Declare = "registry.Codec(" + goSource + ")"
	if _, err := catalog.Find(name); err == nil { // a DateFormat may lack its time zone
		c.Codec = name
	}
}

// redissonCodec is a codec that the code makes.
type redissonCodec struct {
	class string
	inner any // of a wrapper or CompositeCodec: the codec of payloads
	// mapper is what is passed as an ObjectMapper, nil for none.
	mapper any
	notes
}

func (k *redissonCodec) simple() string { return k.class[strings.LastIndexByte(k.class, '.')+1:] }

const composite = "CompositeCodec"

// mostInner bounds how many codecs stand around each other, as the catalog does.
const mostInner = 8

// name returns the name of a codec by the catalog, and notes what is not read.
func (k *redissonCodec) name(c *configured) (string, bool) {
	wrap := []string{}
	for range mostInner {
		c.Unread = append(c.Unread, k.unread...)
		if k.inner == nil && k.simple() == composite {
			c.Unread = append(c.Unread, "a CompositeCodec of two codecs has none for queues, and Java fails on them")
			return "", false
		}
		if k.inner == nil {
			name, ok := k.ownName(c)
			for _, outer := range slices.Backward(wrap) {
				name = outer + "(" + name + ")"
			}
			return catalog.Canonical(name), ok
		}
		if k.simple() != composite {
			wrap = append(wrap, k.simple())
		}
		inner := codecOf(k.inner)
		if inner == nil {
			c.Unread = append(c.Unread, "the codec of "+k.simple()+" comes from "+source(k.inner)+", which is not read")
			return "", false
		}
		if k = inner; c.Java == composite {
			c.Java, c.mapped = k.simple(), k.mapper != nil
		}
	}
	c.Unread = append(c.Unread, "codecs stand in each other too deep")
	return "", false
}

// ownName returns the name of a codec that has no inner one.
func (k *redissonCodec) ownName(c *configured) (string, bool) {
	if k.mapper == nil {
		return k.class, true
	}
	if om := mapperOf(k.mapper); om != nil {
		settings, ok := om.settings(k.simple() == "TypedJsonJacksonCodec")
		c.Unread = append(c.Unread, om.unread...)
		return strings.TrimSuffix(catalog.Canonical(k.class)+"+"+settings, "+"), ok
	}
	c.Unread = append(c.Unread, "its ObjectMapper comes from "+source(k.mapper)+", which is not read")
	return "", false
}

// codecOf returns the codec that a value is, nil for none.
func codecOf(v any) *redissonCodec {
	switch v := v.(type) {
	case *redissonCodec:
		return v
	case *classfile.Object:
		k, _ := v.Is.(*redissonCodec)
		return k
	}
	return nil
}

// origin says where a value comes from that is not read.
type origin struct{ what, name, after string }

const unknown = "code that chooses or computes it"

func source(v any) string {
	switch v := v.(type) {
	case origin:
		return v.what + short(v.name) + v.after
	case classfile.Argument:
		return fmt.Sprintf("argument %d of the method", int(v)+1)
	case *classfile.Object:
		if v.Class != "" {
			return "new " + short(v.Class)
		}
	case classfile.EnumValue:
		return short(v.Class) + "." + short(v.Name)
	}
	return unknown
}

// configuredFor returns what classes set for a queue: what is passed to a queue counts before what
// the client has.
func (i *inspector) configuredFor(queue string) (all []configured) {
	for _, c := range i.configured {
		if c.Queue == queue {
			all = append(all, c)
		}
	}
	if len(all) > 0 {
		return all
	}
	for _, c := range i.configured {
		if c.Queue == "" {
			all = append(all, c)
		}
	}
	return all
}

// compare compares what the classes set with what the messages are. The messages decide: what the
// classes say of an ObjectMapper is taken where it reads and writes them. An empty queue has the
// one codec that the classes set.
func (i *inspector) compare(r *report, bodies [][]byte) {
	r.Configured = i.configuredFor(r.Queue)
	if i.codec != "" || len(r.Configured) == 0 {
		return
	}
	first := r.Configured[0]
	if len(r.Codecs) == 0 {
		if !slices.ContainsFunc(r.Configured, func(c configured) bool { return c.Codec == "" || c.Codec != first.Codec }) {
			r.Codecs = []verdict{{Codec: first.Codec, Confidence: unproven, Why: first.Method + "() sets it, and there is no message"}}
		}
		return
	}
	var names []string
	for _, c := range r.Configured {
		if c.Codec == "" {
			return // it may be that of the messages
		}
		names = append(names, c.Codec)
	}
	names = slices.Compact(names)
	for n, v := range r.Codecs {
		switch w := i.configuredVerdict(r, v, bodies); {
		case w != nil:
			r.Codecs[n] = *w
		case v.Codec != "" && v.Codec != anything && !slices.ContainsFunc(names, v.isOf):
			r.Notes = append(r.Notes, fmt.Sprintf("the classes set %s, and messages here are of %s: the declaration follows the messages", strings.Join(names, " and "), v.Codec))
		}
	}
}

// isOf reports whether payloads are of a codec by its name, if only it carries their text.
func (v verdict) isOf(codec string) bool {
	return v.Codec == codec || strings.HasPrefix(v.Codec, "text("+codec+",") || v.Codec == "json" && codec == "string"
}

// configuredVerdict returns the verdict with what the classes say of the ObjectMapper, nil where
// that does not explain the payloads.
func (i *inspector) configuredVerdict(r *report, v verdict, bodies [][]byte) *verdict {
	if len(r.Codecs) > 1 {
		return nil
	}
	base, _, _ := strings.Cut(v.Codec, "+")
	for _, c := range r.Configured {
		if !strings.HasPrefix(c.Codec, base+"+") {
			continue
		}
		candidate := sniff.Candidate{Codec: c.Codec, Confidence: sniff.Strong, Why: c.Method + "() sets it"}
		if len(c.Unread) > 0 {
			candidate.Confidence, candidate.Why = sniff.Fair, candidate.Why+", and more that is not read"
		}
		w, err := try(bodies, candidate, i.classes)
		if err == nil && w.Form == "" && w.Read >= v.Read {
			w.dates = "" // the mapper explains them
			return &w
		}
	}
	return nil
}

// mapperError says why settings are not carried.
func mapperError(settings string) error {
	_, err := jackson.ParseMapper(settings)
	return err
}
