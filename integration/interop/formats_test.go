package interop_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/fst"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/kryo5"
	"github.com/duequeue/duequeue/codecs/marshalling"
	"github.com/duequeue/duequeue/codecs/serialization"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/integration/jvm"
	"github.com/duequeue/duequeue/framework/integration/rig"
	"github.com/duequeue/duequeue/framework/internal/lab"
)

// formatsOf are the codecs whose beans are tested with a release.
func formatsOf(t testing.TB, version string) []format {
	t.Helper()
	var out []format
	switch version {
	case "3.10.0", "3.12.5":
		out = append(out, format{
			java: "fst", codec: fst.New(), reads: true, carries: graphs | bounds,
			dynamic: func(c *java.Classes) codecs.Codec { return fst.New(fst.Classes(c)) },
		})
	case "3.13.6", "3.16.8", "3.18.1":
		out = append(out, format{
			java: "marshalling", codec: marshalling.New(), carries: graphs | bounds,
			dynamic: func(c *java.Classes) codecs.Codec { return marshalling.New(marshalling.Classes(c)) },
		})
	}
	if atLeast(version, "3.19") {
		out = append(out, kryoFormats(version)...)
	}
	switch version {
	case "3.45.1", "4.7.0":
		out = append(out, format{
			java: "serialization", codec: serialization.New(), carries: graphs | records | bounds,
			dynamic: func(c *java.Classes) codecs.Codec { return serialization.New(serialization.Classes(c)) },
		})
	}
	return slices.Concat(out, jacksonFormats(version), compressFormats(version), schemaFormats(t, version))
}

// kryoFormats are Kryo 5 as it is by default and, since Redisson 3.36, with
// references and with allowed classes.
func kryoFormats(version string) []format {
	kryo := func(name string, carries trait, options ...kryo5.Option) format {
		options = append(options, kryo5.Since(version))
		return format{
			java: name, codec: kryo5.New(options...), carries: carries,
			dynamic: func(c *java.Classes) codecs.Codec { return kryo5.New(append(options, kryo5.Classes(c))...) },
		}
	}
	usual := records | optionals
	if atLeast(version, "3.21") { // Kryo 5.5: before, Java fails to write them
		usual |= bounds
	}
	out := []format{kryo("kryo5", usual)}
	if !atLeast(version, "3.36") {
		return out
	}
	allowed := kryo5.AllowedClassesInOrder(allowedClasses...)
	if atLeast(version, "4.1") {
		allowed = kryo5.AllowedClasses(allowedClasses...)
	}
	refs := kryo("kryo5+refs", graphs|usual, kryo5.References())
	refs.copies = true
	few := kryo("kryo5+allowed="+strings.Join(allowedClasses, ","), 0, allowed)
	few.only = []jvm.Text{jvm.Sample("bench.order"), jvm.Sample("bean.vip"), jvm.Sample("bean.level")}
	return append(out, refs, few)
}

// allowedClasses are those of a few beans, in no order that means anything.
var allowedClasses = []string{
	"java.util.Date", "duequeue.bench.Order", "java.util.ArrayList", "java.math.BigDecimal", "java.time.LocalDate",
	"duequeue.beans.Vip", "duequeue.beans.Address", "duequeue.beans.Level",
}

// atLeast reports whether a release is not older than another.
func atLeast(version, since string) bool {
	numbers := func(text string) []int {
		var out []int
		for part := range strings.SplitSeq(text, ".") {
			n, _ := strconv.Atoi(part) // releases of ours are all numbers
			out = append(out, n)
		}
		return out
	}
	return slices.Compare(numbers(version), numbers(since)) >= 0
}

// writable are those that Go writes.
func writable(formats []format) []format {
	return slices.DeleteFunc(formats, func(f format) bool { return f.reads })
}

func bytesOfBeans(t testing.TB, b *bench) {
	for _, f := range formatsOf(t, b.version) {
		for _, w := range twinsOf(f) {
			w.bytes(t, b, f)
		}
	}
}

// beanOnQueue is one twin on its queue, as both sides have it.
type beanOnQueue struct {
	twin
	traveller
	java    *jvm.Queue
	verdict jvm.Verdict // whether Java reads what it writes itself
}

// beansOnQueues declares a queue for every bean of a format that Go can make, in the short
// form for three of them, drawn at random: bytesOfBeans has them all.
func beansOnQueues(t testing.TB, b *bench, f format) []beanOnQueue {
	t.Helper()
	service := b.jvm.Open(t, b.srv.URL())
	var out []beanOnQueue
	twins := twinsOf(f)
	if !lab.LongForm() {
		rand.Shuffle(len(twins), func(i, j int) { twins[i], twins[j] = twins[j], twins[i] })
	}
	for _, w := range twins {
		if len(out) == 3 && !lab.LongForm() {
			break
		}
		codec := f.asked(w.sample())
		verdict := f.verdict(t, b, w.sample())
		if !verdict.Written() || verdict.Lost() {
			continue // see readback_test.go
		}
		if v := w.declare(t, f); v != nil {
			out = append(out, beanOnQueue{w, v, service.Queue(t, codec, v.Key()), verdict})
		}
	}
	return out
}

// javaFindsBeans: contains(o) and remove(o) of Java find what Go offered, among what
// is pending and among what is ready.
func javaFindsBeans(t testing.TB, b *bench) {
	for _, f := range writable(formatsOf(t, b.version)) {
		if f.foreign {
			continue // Java compares bytes
		}
		client := rig.Open(t, b.srv.URL())
		beans := beansOnQueues(t, b, f)
		var transfers []framework.Consumer
		for _, q := range beans {
			q.offer(t, client, never)
			finds(t, f, q, "pending", q.java.Delayed())
			transfers = append(transfers, framework.TransferOnly(q.traveller))
		}
		engine := rig.Run(t, client, transfers...)
		for _, q := range beans {
			q.offer(t, client, 0)
		}
		for _, q := range beans {
			lab.Wait(t, func() string {
				if c := q.counts(t, client); c.Ready != 1 {
					return fmt.Sprintf("%s: %d ready", q.Key(), c.Ready)
				}
				return ""
			})
			finds(t, f, q, "ready", q.java.Ready())
		}
		rig.Stop(t, engine)
	}
}

// javaFindsBeansAmongItsOwn: contains(o) and remove(o) of Java find what Go offered
// between elements that Java wrote, in the element layout of its release, and leave
// those alone.
func javaFindsBeansAmongItsOwn(t testing.TB, b *bench) {
	for i, f := range writable(formatsOf(t, b.version)) {
		if strings.Contains(f.java, "@") || f.carries&(wrapped|messages) != 0 || f.foreign {
			continue // Java's codec is for one class, the codec within is tried itself, or Java cannot read its own
		}
		client, service := rig.Open(t, b.srv.URL()), b.jvm.Open(t, b.srv.URL())
		q := define[Order](t, fmt.Sprintf("among%d", i), f.codec)
		both := service.Queue(t, f.java, q.Key())
		own := []jvm.Text{jvm.Sample("bean.vip"), jvm.Sample("bean.level")}
		if f.carries&documents != 0 { // most of them have no java.time
			own = []jvm.Text{jvm.Sample("hashmap5"), jvm.Sample("string")}
		}
		both.Offer(t, own[0], never)
		rig.Offer(t, client, q, order(), never)
		both.Offer(t, own[1], never)

		pending := both.Delayed()
		if n := len(pending.ReadAll(t)); n != 3 {
			t.Errorf("%s: readAll() sees %d elements, want 3", f.java, n)
		}
		if !pending.Contains(t, jvm.Sample("bench.order")) || !pending.Remove(t, jvm.Sample("bench.order")) {
			t.Errorf("%s: Java does not find what Go offered", f.java)
		}
		if pending.Contains(t, jvm.Sample("bench.order")) {
			t.Errorf("%s: it is there after remove(o)", f.java)
		}
		for _, o := range own {
			if !pending.Contains(t, o) {
				t.Errorf("%s: Java does not find its own %s any more", f.java, o)
			}
		}
		if c := rig.Counts(t, client, q); c.Delayed != int64(len(own)) {
			t.Errorf("%s: Go counts %+v, want %d pending", f.java, c, len(own))
		}
	}
}

// finds looks for the only element of a half of a queue, and removes it.
func finds(t testing.TB, f format, q beanOnQueue, half string, look jvm.Look) {
	t.Helper()
	if !look.Contains(t, q.sample()) {
		t.Errorf("%s, %s: contains(o) = false on what is %s", q.sample(), f.java, half)
	}
	if !look.Remove(t, q.sample()) {
		t.Errorf("%s, %s: remove(o) = false on what is %s", q.sample(), f.java, half)
	}
	if n := look.Size(t); n != 0 {
		t.Errorf("%s, %s: size() = %d after remove(o) on what is %s", q.sample(), f.java, n, half)
	}
}

// javaTakesBeans: what Go offers, Java transfers and takes, is equal.
func javaTakesBeans(t testing.TB, b *bench) {
	for _, f := range writable(formatsOf(t, b.version)) {
		client := rig.Open(t, b.srv.URL())
		beans := beansOnQueues(t, b, f)
		for _, q := range beans {
			q.offer(t, client, soon)
		}
		for _, q := range beans {
			if q.verdict != jvm.ReadsEqual {
				continue
			}
			q.java.Hold(t)
			taken, err := q.java.TryTake(t, patient, q.sample())
			switch {
			case f.deaf != "":
				if thrown := (*jvm.CommandError)(nil); !errors.As(err, &thrown) || thrown.Class != f.deaf {
					t.Errorf("%s, %s: Java took %#v, %v; before, it failed with %s", q.sample(), f.java, taken.Value, err, f.deaf)
				}
			case err != nil:
				t.Errorf("%s, %s: %v", q.sample(), f.java, err)
			case !taken.Equal:
				t.Errorf("%s, %s: Java took %#v, not equal to its own", q.sample(), f.java, taken.Value)
			}
		}
	}
}

// goHandlesBeans: what Java offers, Go handles as its own types.
func goHandlesBeans(t testing.TB, b *bench) {
	for _, f := range formatsOf(t, b.version) {
		client := rig.Open(t, b.srv.URL())
		beans := beansOnQueues(t, b, f)
		var consumers []framework.Consumer
		for _, q := range beans {
			consumers = append(consumers, q.consume())
		}
		engine := rig.Run(t, client, consumers...)
		for _, q := range beans {
			q.java.Offer(t, q.sample(), 100*time.Millisecond)
		}
		for _, q := range beans {
			q.await(t, q.verdict == jvm.ReadsEqual)
		}
		rig.Stop(t, engine)
	}
}
