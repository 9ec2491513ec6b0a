package interop_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/jackson"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/integration/jvm"
	"github.com/duequeue/duequeue/framework/integration/rig"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/registry"
)

// What Redisson's own tests ask of a delayed queue, with Java and Go at each end of it.

// drawn are the rows of this run: three at random, in the long form all.
func drawn[T any](rows []T) []T {
	rows = slices.Clone(rows)
	rand.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	if !lab.LongForm() && len(rows) > 3 {
		return rows[:3]
	}
	return rows
}

// destinations are the queues of Redisson for which it makes a delayed queue, and whether their
// poll() gives what a delayed queue brought them: that of a TransferQueue does not for Java
// alone either.
var destinations = map[string]bool{
	"Queue": true, "BlockingQueue": true, "Deque": true, "BlockingDeque": true, "PriorityQueue": true, "PriorityBlockingQueue": true,
	"PriorityDeque": true, "PriorityBlockingDeque": true, "BoundedBlockingQueue": true, "RingBuffer": true, "TransferQueue": false,
}

// kindsOfDestination: before each kind of queue Java offers and Go handles, Go offers and Java
// polls.
func kindsOfDestination(t testing.TB, b *bench) {
	if b.java != "default" {
		return // the queues are of the configured codec
	}
	client, service := rig.Open(t, b.srv.URL()), b.jvm.Open(t, b.srv.URL())
	for kind, polls := range destinations {
		q := define[string](t, kind, b.codec)
		own, ok := service.Kind(t, kind, q.Key()+"_own")
		if !ok {
			continue
		}
		own.Offer(t, text(t, "own"), 1)
		if polls {
			pollsNext(t, own, kind, "own")
		}
		both, _ := service.Kind(t, kind, q.Key())
		both.Offer(t, text(t, "java"), soon)
		var collector rig.Collector[string]
		engine := rig.Run(t, client, framework.Consume(q, &collector))
		if got := collector.Await(t, 1)[0]; got.Payload != "java" {
			t.Errorf("%s: %q", kind, got.Payload)
		}
		rig.Stop(t, engine)
		rig.Offer(t, client, q, "go", soon)
		if polls {
			pollsNext(t, both, kind, "go")
		}
	}
}

func pollsNext(t testing.TB, q *jvm.Queue, kind, want string) {
	t.Helper()
	lab.Wait(t, func() string {
		switch got := q.Ready().Poll(t); got {
		case nil:
			return kind + ": poll() gives nothing"
		case want:
		default:
			t.Errorf("%s: poll() gives %v", kind, got)
		}
		return ""
	})
}

// names of queues that are odd.
var odd = []string{
	"a b", "a  b\u00a0c", "{a}", "a{b}c", "{a}b", "a{}b", "a:b::c:", "订单超时", "😀🚀", strings.Repeat("long/", 100), "class a.Handler.class a.Msg",
	`"quoted" 'twice' \n`, "*?[a-z]^$", "%s%d%%",
}

// oddNames: Java offers and Go handles, Go offers and Java takes, whatever the queue is called.
func oddNames(t testing.TB, b *bench) {
	client, service := rig.Open(t, b.srv.URL()), b.jvm.Open(t, b.srv.URL())
	for _, name := range drawn(odd) {
		q := registry.Define[string](name, "odd", registry.Codec(b.codec))
		if err := q.Err(); err != nil {
			t.Errorf("%q: %v", name, err)
			continue
		}
		both := service.Queue(t, b.java, name)
		both.Offer(t, text(t, "java"), soon)
		var collector rig.Collector[string]
		engine := rig.Run(t, client, framework.Consume(q, &collector))
		if got := collector.Await(t, 1)[0]; got.Payload != "java" {
			t.Errorf("%q: %q", name, got.Payload)
		}
		rig.Stop(t, engine)
		rig.Offer(t, client, q, "go", soon)
		if taken := both.Take(t, patient, text(t, "go")); !taken.Equal {
			t.Errorf("%q: Java took %v", name, taken.Value)
		}
	}
}

// way is one of the nine ways to share a queue.
type way struct {
	offers, moves side
}

type side int

const (
	byJava side = iota
	byGo
	byBoth
)

// carrier is a codec, as Java and Go call it.
type carrier struct {
	name  string
	codec codecs.Codec
}

// sharing is a queue in one of the ways.
type sharing struct {
	way
	carrier
	b        *bench
	queue    *registry.Queue[string]
	client   *framework.Client
	service  *jvm.Client
	java     *jvm.Queue
	messages int
}

// offer offers the values; both sides take turns.
func (s *sharing) offer(t testing.TB, delay time.Duration, values ...string) {
	t.Helper()
	for _, v := range values {
		if s.messages++; s.offers == byGo || s.offers == byBoth && s.messages%2 == 0 {
			rig.Offer(t, s.client, s.queue, v, delay)
			continue
		}
		s.java.Offer(t, text(t, v), delay)
	}
}

// begin lets those move what is due who shall.
func (s *sharing) begin(t testing.TB) {
	t.Helper()
	if s.moves == byGo { // a Java that offered, or looked, moves as well
		s.service.Close(t)
		s.service = s.b.jvm.Open(t, s.b.srv.URL())
		s.java = s.service.Queue(t, s.name, s.queue.Key())
	} else {
		s.java.Hold(t)
	}
	if s.moves != byJava {
		rig.Run(t, s.client, framework.TransferOnly(s.queue))
	}
}

func (s *sharing) takes(t testing.TB, want ...string) {
	t.Helper()
	for _, v := range want {
		if taken := s.java.Take(t, patient, text(t, v)); !taken.Equal {
			t.Errorf("%+v: take() gives %v, want %s", s.way, taken.Value, v)
		}
	}
}

func (s *sharing) readAll(t testing.TB, want ...string) {
	t.Helper()
	var got []string
	for _, v := range s.java.Delayed().ReadAll(t) {
		got = append(got, fmt.Sprint(v))
	}
	if !slices.Equal(got, want) || s.java.Delayed().Size(t) != len(want) {
		t.Errorf("%+v: readAll() gives %q, want %q", s.way, got, want)
	}
}

func (s *sharing) says(t testing.TB, method string, got, want bool) {
	t.Helper()
	if got != want {
		t.Errorf("%+v: %s is %v", s.way, method, got)
	}
}

// asked are the methods of an RDelayedQueue and its destination that are asked in each way.
var asked = map[string]func(t testing.TB, s *sharing){
	"in the order of due": func(t testing.TB, s *sharing) {
		s.offer(t, 3*soon, "third")
		s.offer(t, soon, "first")
		s.offer(t, 2*soon, "second")
		s.begin(t)
		s.takes(t, "first", "second", "third")
	},
	"at once": func(t testing.TB, s *sharing) {
		s.begin(t)
		s.offer(t, 0, "a")
		s.takes(t, "a")
	},
	"duplicates": func(t testing.TB, s *sharing) {
		s.offer(t, soon, "a", "a", "a")
		s.begin(t)
		s.takes(t, "a", "a", "a")
	},
	"destroyed in Java": func(t testing.TB, s *sharing) {
		s.offer(t, soon, "a")
		s.begin(t)
		if s.java.Destroy(t); s.moves == byJava { // else no process moves it
			s.java.Hold(t)
		}
		s.takes(t, "a")
	},
	"Go handles": func(t testing.TB, s *sharing) {
		s.offer(t, soon, "a", "b", "c")
		if s.begin(t); s.moves != byJava {
			return // an engine serves the queue
		}
		var collector rig.Collector[string]
		engine := rig.Run(t, s.client, framework.Consume(s.queue, &collector))
		var got []string
		for _, g := range collector.Await(t, 3) {
			got = append(got, g.Payload)
		}
		slices.Sort(got)
		if rig.Stop(t, engine); !slices.Equal(got, []string{"a", "b", "c"}) {
			t.Errorf("%+v: Go handled %q", s.way, got)
		}
	},
	"contains and remove": func(t testing.TB, s *sharing) {
		s.offer(t, never, "a", "b", "c", "d", "a")
		look := s.java.Delayed()
		s.readAll(t, "a", "b", "c", "d", "a")
		s.says(t, "contains(c)", look.Contains(t, text(t, "c")), true)
		s.says(t, "contains(x)", look.Contains(t, text(t, "x")), false)
		s.says(t, "containsAll(a,d)", look.All(t, "contains", listOf(t, "a", "d")), true)
		s.says(t, "containsAll(a,x)", look.All(t, "contains", listOf(t, "a", "x")), false)
		s.says(t, "remove(a)", look.Remove(t, text(t, "a")), true)
		s.says(t, "remove(x)", look.Remove(t, text(t, "x")), false)
		s.readAll(t, "b", "c", "d", "a")
		s.says(t, "removeAll(b,x)", look.All(t, "remove", listOf(t, "b", "x")), true)
		s.says(t, "removeAll(x)", look.All(t, "remove", listOf(t, "x")), false)
		s.readAll(t, "c", "d", "a")
		s.says(t, "retainAll(d,a)", look.All(t, "retain", listOf(t, "d", "a")), true)
		s.says(t, "retainAll(d,a)", look.All(t, "retain", listOf(t, "d", "a")), false)
		s.readAll(t, "d", "a")
	},
	"peek and poll": func(t testing.TB, s *sharing) {
		s.offer(t, 3*never, "a", "b")
		s.offer(t, never, "c", "d")
		look := s.java.Delayed()
		if got := look.Peek(t); got != "a" {
			t.Errorf("%+v: peek() gives %v", s.way, got)
		}
		if got := look.Poll(t); got != "a" {
			t.Errorf("%+v: poll() gives %v", s.way, got)
		}
		if atLeast(s.b.version, "3.11.6") {
			if got := look.PollMany(t, 2); !slices.Equal(got, []any{"b", "c"}) {
				t.Errorf("%+v: poll(2) gives %v", s.way, got)
			}
			s.readAll(t, "d")
		}
	},
}

func listOf(t testing.TB, values ...string) jvm.Text {
	t.Helper()
	list := &java.List{Class: java.ClassArrayList}
	for _, v := range values {
		list.Elements = append(list.Elements, v)
	}
	encoded, err := jvm.Encode(list)
	if err != nil {
		t.Fatal(err)
	}
	return encoded
}

// waysOfSharing: whoever offers and whoever moves, each method answers as it does for Java alone.
func waysOfSharing(t testing.TB, b *bench) {
	var ways []way
	for _, offers := range []side{byJava, byGo, byBoth} {
		for _, moves := range []side{byJava, byGo, byBoth} {
			ways = append(ways, way{offers, moves})
		}
	}
	carriers := []carrier{{b.java, b.codec}, {"jsonjackson", jackson.JsonJackson()}, {"string", codecs.String()}}
	for _, w := range drawn(ways) {
		for name, ask := range asked {
			config := framework.Config{Redis: framework.RedisConfig{URL: b.srv.URL()}, NoTransfer: w.moves == byJava}
			s := &sharing{way: w, carrier: carriers[rand.IntN(len(carriers))], b: b, client: rig.OpenConfig(t, config), service: b.jvm.Open(t, b.srv.URL())}
			s.queue = define[string](t, fmt.Sprint(w.offers, w.moves, strings.ReplaceAll(name, " ", "_")), s.codec)
			s.java = s.service.Queue(t, s.name, s.queue.Key())
			ask(t, s)
			if n := rig.Counts(t, s.client, s.queue); n.Ready+n.Dead != 0 {
				t.Errorf("%+v, %s by %s: left over: %+v", w, name, s.name, n)
			}
		}
	}
}
