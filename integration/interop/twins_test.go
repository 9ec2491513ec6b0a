package interop_test

import (
	"encoding/hex"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/java/gotypes"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/integration/jvm"
	"github.com/duequeue/duequeue/framework/integration/rig"
	"github.com/duequeue/duequeue/registry"
)

// format is one codec as one release has it, and ours.
type format struct {
	java  string       // as the Java program calls it; "@" stands for the sample
	codec codecs.Codec // into Go types
	// dynamic is the same codec for values without a Go type, with these classes; nil:
	// such values do not come back as the same bytes.
	dynamic func(*java.Classes) codecs.Codec
	carries trait // what beans may need of a format
	reads   bool  // it only reads
	// copies: of strings in Go types it cannot tell which were one object in Java, so
	// that it writes each in full.
	copies bool
	plain  bool // class names are not on the wire
	// deaf: Java's codec reads in a program, and fails so on a queue.
	deaf string
	// foreign: the bytes are a compressor's choice, or Java cannot read its own, so that
	// only contents are compared: Java reads what Go writes.
	foreign bool
	// like is a codec of Java's that loses as much as this one does in what it reads.
	like  string
	roots bool       // values that are no beans are tried, too
	large bool       // it has numbers of any size
	only  []jvm.Text // the beans that are tried; nil: all that it carries
}

// trait is something that not every format carries.
type trait int

const (
	graphs      trait = 1 << iota // shared and cyclic references
	records                       // records
	optionals                     // Optional, which is not serializable
	bounds                        // classes that bind the type parameters of their base
	documents                     // no more than the values of fields
	classes                       // names of classes: an interface takes what implements it
	wrapped                       // another codec
	messages                      // messages of protobuf
	texts                         // Go types with json tags, and no others
	annotations                   // Jackson's annotations
	javaTime                      // java.time, by its module
	openFields                    // annotations of public fields: Jackson 3 sees no others
)

// twin is a bean that Java and Go have.
type twin interface {
	sample() jvm.Text
	needs() trait
	// bytes compares payloads without Redis.
	bytes(t testing.TB, b *bench, f format)
	// declare makes a queue for it; nil where Go has no value of its own to offer.
	declare(t testing.TB, f format) traveller
}

// traveller is a twin on a queue of its own.
type traveller interface {
	registry.Descriptor
	offer(t testing.TB, client *framework.Client, delay time.Duration)
	consume() framework.Consumer
	counts(t testing.TB, client *framework.Client) framework.Counts
	await(t testing.TB, whole bool) // checks what Go's handler got
}

// twinOf is a twin of Go type T.
type twinOf[T any] struct {
	name  string
	value func() T // nil: only Java can make it
	need  trait
	// loose values decode to other forms than those that the value is made of,
	// which mean the same: they are compared by their bytes only.
	loose bool
	// untyped values only come back whole as values without a Go type: in Go types a
	// date is a value, which has no identity.
	untyped bool
	// alike compares values; nil: reflect.DeepEqual does.
	alike func(a, b T) bool
	// repeats: it holds one string in two places.
	repeats bool
	// anys: it holds what no type declares, which formats without class names do not
	// carry.
	anys bool
	// annotated: values of no class do not come back as the same bytes, since nothing says
	// what the annotations are.
	annotated bool
	// under are types that stand in fields of other types; register says the same of a
	// queue.
	under    codecs.BindOptions
	register []registry.Option
}

// allTwins are the beans that cross.
func allTwins() []twin {
	people := codecs.BindOptions{Classes: map[reflect.Type]string{
		reflect.TypeFor[Entity]():   Entity{}.JavaClass(),
		reflect.TypeFor[Customer](): Customer{}.JavaClass(),
	}}
	register := []registry.Option{
		registry.JavaClass[Entity](Entity{}.JavaClass()), registry.JavaClass[Customer](Customer{}.JavaClass()),
	}
	return append(slices.Concat(documentTwins(), annotatedTwins(), wrappedTwins(), messageTwins()),
		twinOf[Order]{name: "bench.order", value: order},
		twinOf[Vip]{name: "bean.vip", value: vip},
		twinOf[Choices]{name: "bean.choices", value: choices, loose: true, anys: true},
		twinOf[Answers]{name: "bean.answers", value: answers, repeats: true},
		twinOf[Bound]{name: "bean.bound", value: bound, repeats: true, need: bounds, loose: true},
		twinOf[Line]{name: "bean.line", value: line, need: records, loose: true},
		twinOf[Nested]{name: "bean.nested", value: nested, loose: true},
		twinOf[Everything]{name: "bean.filled", value: filled},
		twinOf[Everything]{name: "bean.nulls", value: func() Everything { return Everything{} }},
		twinOf[Primitives]{name: "bean.primitives", value: primitives},
		twinOf[Rows]{name: "bean.rows", value: rows, loose: true, under: people, register: register},
		twinOf[Node]{name: "bean.chain", value: chain},
		twinOf[*Node]{name: "bean.ring", value: ring, need: graphs},
		twinOf[Shared]{name: "bean.shared", value: shared, need: graphs, loose: true},
		twinOf[Shared]{name: "bean.sameDates", need: graphs, untyped: true},
		twinOf[Times]{name: "bean.times", value: times, loose: true},
		twinOf[Maybe]{name: "bean.maybe", value: maybe, need: optionals},
		twinOf[Failure]{name: "bean.failure", loose: true, anys: true},
		twinOf[Level]{name: "bean.level", value: func() Level { return "SILVER" }},
		twinOf[Step]{name: "bean.step", value: func() Step { return 1 }},
	)
}

// asked is a format's codec for one sample, as the Java program calls it.
func (f format) asked(sample jvm.Text) string { return strings.ReplaceAll(f.java, "@", string(sample)) }

// verdict says whether Java reads a sample: what it writes itself or, where that is
// not what Go writes, what Go writes.
func (f format) verdict(t testing.TB, b *bench, sample jvm.Text) jvm.Verdict {
	t.Helper()
	own := b.jvm.ReadBack(t, f.asked(sample), sample)
	switch {
	case !own.Written() || !f.foreign:
		return own
	case f.like != "":
		return b.jvm.ReadBack(t, f.like, sample)
	}
	return jvm.ReadsEqual
}

// label names a format in queue names and reports.
func (f format) label() string {
	name := f.java
	if !strings.HasPrefix(name, "text(") {
		name, _, _ = strings.Cut(name, ",")
	}
	return strings.NewReplacer("(", "_", ")", "", "@", "", "+", "_", "=", "_").Replace(name)
}

// twinsOf are those that a format carries.
func twinsOf(f format) []twin {
	var out []twin
	for _, w := range allTwins() {
		if w.needs()&^f.carries == 0 && w.needs()&texts == f.carries&texts && (f.only == nil || slices.Contains(f.only, w.sample())) {
			out = append(out, w)
		}
	}
	return out
}

func (w twinOf[T]) sample() jvm.Text { return jvm.Sample(w.name) }
func (w twinOf[T]) needs() trait     { return w.need }

// bytes: Go writes what Java writes for the equal object; what Java wrote comes back
// as a Go value and as a dynamic one, and both are written as the same bytes.
func (w twinOf[T]) bytes(t testing.TB, b *bench, f format) {
	typed, err := codecs.For[T](f.codec, w.under)
	if err != nil {
		t.Errorf("%s, %s: %v", w.name, f.java, err)
		return
	}
	verdict := f.verdict(t, b, w.sample())
	if !verdict.Written() {
		return
	}
	want := b.jvm.EncodeHex(t, f.asked(w.sample()), w.sample())
	if f.foreign {
		w.contents(t, b, f, typed, verdict, unhex(t, want))
		return
	}
	if verdict.Lost() {
		w.legible(t, b, f, typed, verdict)
		return
	}
	if w.value != nil && w.typed(f) && !f.reads {
		payload, err := typed.Encode(w.value())
		if w.same(t, f, "the Go value", payload, err, want) && verdict == jvm.ReadsEqual {
			w.accepted(t, b, f, payload)
		}
	}
	written := unhex(t, want)
	w.dynamic(t, f, written, want)
	if !w.typed(f) {
		return
	}
	got, err := typed.Decode(written)
	if err != nil {
		t.Errorf("%s, %s: into Go: %v", w.name, f.java, err)
	} else {
		if verdict == jvm.ReadsEqual { // else Go cannot have it whole either
			w.equal(t, f, got)
		}
		if !f.reads && (!w.anys || !f.plain) { // what no type declares is in no order there
			payload, err := typed.Encode(got)
			w.same(t, f, "what Java wrote, through Go", payload, err, want)
		}
	}
}

// legible: where Java writes no class and so cannot read it again, it reads what Go
// writes.
func (w twinOf[T]) legible(t testing.TB, b *bench, f format, typed codecs.Typed[T], verdict jvm.Verdict) {
	t.Helper()
	if w.value == nil || !strings.HasSuffix(string(verdict), "InvalidTypeIdException") {
		return // nothing to offer, or Java has no way to make the class
	}
	payload, err := typed.Encode(w.value())
	if err != nil {
		t.Errorf("%s, %s: encode: %v", w.name, f.java, err)
		return
	}
	w.accepted(t, b, f, payload)
}

// contents: Go reads what Java wrote, and Java what Go writes.
func (w twinOf[T]) contents(t testing.TB, b *bench, f format, typed codecs.Typed[T], verdict jvm.Verdict, written []byte) {
	t.Helper()
	got, err := typed.Decode(written)
	if err != nil {
		t.Errorf("%s, %s: into Go: %v", w.name, f.java, err)
		return
	}
	if w.value == nil || verdict != jvm.ReadsEqual {
		return
	}
	w.equal(t, f, got)
	payload, err := typed.Encode(w.value())
	if err != nil {
		t.Errorf("%s, %s: encode: %v", w.name, f.java, err)
		return
	}
	w.accepted(t, b, f, payload)
}

// typed reports whether Go types carry all of it.
func (w twinOf[T]) typed(f format) bool { return !w.untyped && (!w.repeats || !f.copies) }

func (w twinOf[T]) dynamic(t testing.TB, f format, written []byte, want string) {
	t.Helper()
	if f.dynamic == nil || w.annotated && f.plain {
		return
	}
	classes, err := gotypes.ClassesOf(reflect.TypeFor[T](), w.under)
	if err != nil {
		t.Errorf("%s: %v", w.name, err)
		return
	}
	codec := f.dynamic(classes)
	value, err := codec.Decode(written)
	if err != nil {
		t.Errorf("%s, %s: into java values: %v", w.name, f.java, err)
		return
	}
	if !f.reads {
		payload, err := codec.Encode(value)
		w.same(t, f, "what Java wrote, through java values", payload, err, want)
	}
}

func (w twinOf[T]) same(t testing.TB, f format, what string, payload []byte, err error, want string) bool {
	t.Helper()
	if err != nil {
		t.Errorf("%s, %s: encode %s: %v", w.name, f.java, what, err)
		return false
	}
	got := hex.EncodeToString(payload)
	if got != want {
		at := difference(got, want)
		t.Errorf("%s, %s: %s differs at byte %d\n got …%s\njava …%s", w.name, f.java, what, at/2, window(got, at), window(want, at))
	}
	return true
}

// accepted asks Java whether what Go wrote is the equal object.
func (w twinOf[T]) accepted(t testing.TB, b *bench, f format, payload []byte) {
	t.Helper()
	if equal, got := b.jvm.EqualHex(t, f.asked(w.sample()), hex.EncodeToString(payload), w.sample()); !equal {
		t.Errorf("%s, %s: Java reads what Go wrote as %s", w.name, f.java, got)
	}
}

func (w twinOf[T]) equal(t testing.TB, f format, got T) {
	t.Helper()
	if w.value == nil || w.loose || w.anys && f.plain {
		return
	}
	same := func(a, b T) bool { return reflect.DeepEqual(a, b) }
	if w.alike != nil {
		same = w.alike
	}
	if want := w.value(); !same(got, want) {
		t.Errorf("%s, %s: decoded\n%+v, want\n%+v", w.name, f.java, got, want)
	}
}

func (w twinOf[T]) declare(t testing.TB, f format) traveller {
	t.Helper()
	if w.value == nil || !w.typed(f) {
		return nil
	}
	q := registry.Define[T](rig.QueueName(t, "_"+f.label()+"_"+w.name+reflect.TypeFor[T]().Name()), w.name, append(slices.Clip(w.register), registry.Codec(f.codec))...)
	if err := q.Err(); err != nil {
		t.Errorf("%s, %s: %v", w.name, f.java, err)
		return nil
	}
	return &travelling[T]{Queue: q, twin: w, format: f}
}

type travelling[T any] struct {
	*registry.Queue[T]
	twin   twinOf[T]
	format format
	came   rig.Collector[T]
}

func (v *travelling[T]) offer(t testing.TB, client *framework.Client, delay time.Duration) {
	t.Helper()
	rig.Offer(t, client, v.Queue, v.twin.value(), delay)
}

func (v *travelling[T]) counts(t testing.TB, client *framework.Client) framework.Counts {
	t.Helper()
	return rig.Counts(t, client, v.Queue)
}

func (v *travelling[T]) consume() framework.Consumer { return framework.Consume(v.Queue, &v.came) }

func (v *travelling[T]) await(t testing.TB, whole bool) {
	t.Helper()
	if got := v.came.Await(t, 1)[0]; whole {
		v.twin.equal(t, v.format, got.Payload)
	}
}

func unhex(t testing.TB, text string) []byte {
	t.Helper()
	raw, err := hex.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}
