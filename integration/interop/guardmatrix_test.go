package interop_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/catalog"
	"github.com/duequeue/duequeue/codecs/jackson"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/sniff"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/integration/rig"
	"github.com/duequeue/duequeue/framework/internal/foreign"
	"github.com/duequeue/duequeue/framework/internal/wire"
	"github.com/duequeue/duequeue/registry"
)

// GuardedOrder is duequeue.guard.Order.
type GuardedOrder struct {
	OrderID   string           `java:"orderId"`
	UserID    *int64           `java:"userId"`
	Cents     int64            `java:"cents"`
	Paid      bool             `java:"paid"`
	Amount    java.BigDecimal  `java:"amount"`
	CreatedAt time.Time        `java:"createdAt"`
	Level     Level            `java:"level"`
	Tags      []string         `java:"tags"`
	Extra     map[string]int64 `java:"extra,java.util.Map<java.lang.String,java.lang.Long>"`
}

func (GuardedOrder) JavaClass() string { return "duequeue.guard.Order serial 1" }

// GuardedTimes is duequeue.guard.TimedOrder.
type GuardedTimes struct {
	GuardedOrder
	DueAt java.LocalDateTime `java:"dueAt"`
	Day   java.LocalDate     `java:"day"`
}

func (GuardedTimes) JavaClass() string { return "duequeue.guard.TimedOrder serial 1" }

// GuardedNote is duequeue.guard.Note.
type GuardedNote struct {
	OrderID *string `java:"orderId"`
	UserID  *int64  `java:"userId"`
}

func (GuardedNote) JavaClass() string { return "duequeue.guard.Note serial 1" }

func guardedOrder() GuardedOrder {
	return GuardedOrder{
		OrderID: "A-0", UserID: ptr(int64(1) << 53), Paid: true, Amount: decimal("050", 2), CreatedAt: guardedAt, Level: "SILVER",
		Tags: []string{"t0"}, Extra: map[string]int64{"n": 0},
	}
}

var guardedAt = time.UnixMilli(1700000000000).UTC()

// guardedShape is a kind of payloads of which Java offers the numbers 1 to 3, and Go number 0.
type guardedShape struct {
	name string
	// offer returns what Go writes, and what the guard compares with what is there; an error where
	// the codec does not write such values.
	offer func(queue string, c codecs.Codec) (payload []byte, declared foreign.Declared, err error)
}

func guardedShapes() []guardedShape {
	return []guardedShape{
		shaped("bean", guardedOrder()),
		shaped("flat", GuardedNote{ptr("A-0"), ptr(int64(0))}),
		shaped("times", GuardedTimes{
			guardedOrder(), java.LocalDateTimeOf(time.Date(2024, 2, 29, 23, 59, 0, 0, time.UTC), time.UTC), java.LocalDate{Year: 2024, Month: 2, Day: 1},
		}),
		shaped("text", "order 0"),
		shaped("long", int64(0)),
		shaped("integer", int32(0)),
		shaped("date", guardedAt),
		shaped("enum", Level("BASIC")),
		shaped("map", map[string]any{"n": int64(0), "text": "t0"}),
		shaped("list", []any{"t0", int64(0), int32(0)}),
	}
}

func shaped[T any](name string, value T) guardedShape {
	return guardedShape{name, func(queue string, c codecs.Codec) ([]byte, foreign.Declared, error) {
		q := registry.Define[T](queue, "guarded", registry.Codec(c))
		if err := q.Err(); err != nil {
			return nil, foreign.Declared{}, err
		}
		payload, err := q.Payload(value)
		return payload, foreign.Of(q), err
	}}
}

// guardedReleases are those for which each codec is tried against each.
var guardedReleases = []string{"3.19.0", "3.45.1", "4.7.0"}

// guardedCodec is one of Java's, and the codec of Go where there is one.
type guardedCodec struct {
	java string // "@" stands for the sample
	code codecs.Codec
}

func guardedCodecs(t testing.TB, b *bench) []guardedCodec {
	t.Helper()
	out := []guardedCodec{{"json(@)", jackson.JSON(jackson.Mapper{Dates: jackson.Timestamps})}}
	for _, name := range []string{
		"kryo5", "marshalling", "serialization", "fst", "jsonjackson", "jsonjackson3", "typedjsonjackson", "typedjsonjackson3", "msgpackjackson",
		"cborjackson", "cborjackson3", "smilejackson", "smilejackson3", "ionjackson", "ionjackson3", "string", "long", "integer", "double",
		"lz4(kryo5)", "lz4v2(kryo5)", "snappyv2(jsonjackson)", "zstd(kryo5)", "zstd(jsonjackson)", "lz4(marshalling)",
	} {
		c, err := catalog.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(name, "typed") {
			name += "(@)"
		}
		if !strings.Contains(name, "@") {
			if answer, err := b.jvm.Call(t.Context(), "present %s", name); err != nil || answer != name {
				continue
			}
		}
		out = append(out, guardedCodec{name, c})
	}
	for _, text := range mapperTexts() {
		typed := guardedCodec{java: "mapper(" + text + ")"}
		settings := strings.TrimPrefix(text, "class=@+")
		m, err := jackson.ParseMapper(settings)
		if err == nil {
			typed.code = jackson.TypedJsonJackson(m)
		}
		out = append(out, typed)
		if !strings.Contains(text, "typing=") {
			out = append(out, guardedCodec{"jsonmapper(" + settings + ")", jackson.JsonJackson(m)})
		}
	}
	return out
}

// mapperTexts are the mappers of services, each kind of setting alone and in a usual mix.
func mapperTexts() []string {
	return []string{
		"typing=NON_FINAL", "typing=NON_FINAL+as=WRAPPER_OBJECT", "typing=NON_FINAL+as=PROPERTY", "typing=NON_FINAL+as=EXTERNAL_PROPERTY",
		"typing=NON_FINAL+as=PROPERTY+property=kind", "typing=EVERYTHING", "typing=EVERYTHING+as=PROPERTY",
		"class=@+typing=JAVA_LANG_OBJECT", "class=@+typing=OBJECT_AND_NON_CONCRETE", "class=@+typing=NON_CONCRETE_AND_ARRAYS",
		"class=@+typing=OBJECT_AND_NON_CONCRETE+as=PROPERTY", "class=@+typing=OBJECT_AND_NON_CONCRETE+as=WRAPPER_OBJECT",
		"class=@+dates=TIMESTAMPS", "class=@+dates=TEXT", "class=@+dates=TEXT+timezone=Asia/Shanghai",
		"class=@+dateformat=yyyy-MM-dd_HH:mm:ss+timezone=Asia/Shanghai", "class=@+longastext=TRUE", "class=@+naming=SNAKE_CASE",
		"class=@+naming=UPPER_CAMEL_CASE", "class=@+enums=ORDINAL",
		"typing=NON_FINAL+dates=TEXT+longastext=TRUE", "typing=NON_FINAL+dates=TEXT+naming=SNAKE_CASE+enums=ORDINAL",
		"class=@+dates=TEXT+dateformat=yyyy-MM-dd_HH:mm:ss+timezone=GMT+8+longastext=TRUE+naming=SNAKE_CASE",
	}
}

// guardMatrix: whatever codec and mapper the Java service has, and whatever Go declares, Go's
// first offer writes nothing that Java cannot read or reads as something else: it is refused, or
// the payloads that are there do not tell.
func guardMatrix(t testing.TB, b *bench) {
	if !slices.Contains(guardedReleases, b.version) {
		return
	}
	m := &guardedMatrix{client: rig.Open(t, b.srv.URL()), rdb: b.srv.Client(), all: guardedCodecs(t, b), counts: map[string]int{}}
	for _, there := range m.all {
		for _, shape := range guardedShapes() {
			m.row(t, b, there, shape)
		}
	}
	t.Logf("report: Redisson %s: what the guard says: %v", b.version, m.counts)
}

type guardedMatrix struct {
	client *framework.Client
	rdb    *redis.Client
	all    []guardedCodec
	counts map[string]int
}

// row tries all codecs of Go on what one of Java's has offered.
func (m *guardedMatrix) row(t testing.TB, b *bench, there guardedCodec, shape guardedShape) {
	sample := func(n int) string { return fmt.Sprintf("@guard.%s.%d", shape.name, n) }
	codec := strings.ReplaceAll(there.java, "@", sample(0))
	var payloads [][]byte
	for n := range 4 {
		hex, err := b.jvm.Call(t.Context(), "encode %s %s", codec, sample(n))
		if err != nil {
			return // Java itself does not write it
		}
		payloads = append(payloads, unhex(t, hex))
	}
	want, err := b.jvm.Call(t.Context(), "decode %s %x", codec, payloads[0])
	if err != nil {
		return // nor does Java read its own
	}
	name := rig.QueueName(t, fmt.Sprintf("_%s_%x", shape.name, sha256.Sum224([]byte(there.java))))
	raw := framework.Bind(m.client, registry.Define[[]byte](name, "raw", registry.Codec(codecs.ByteArray()), registry.OnForeign(registry.ForeignIgnore)))
	for _, p := range payloads[1:] {
		if err := raw.Push(t.Context(), p); err != nil {
			t.Fatal(err)
		}
	}
	for _, mine := range m.all {
		if mine.code == nil {
			continue
		}
		inner := regexp.MustCompile("JAVA_LANG_OBJECT|NON_CONCRETE").MatchString(mine.code.Name()) // no class at the root
		cell := fmt.Sprintf("%s by %s, Go by %s", shape.name, codec, mine.code.Name())
		payload, declared, err := shape.offer(name, mine.code)
		if err != nil {
			m.counts["not written"]++
			continue
		}
		found, _, err := foreign.Look(t.Context(), m.rdb, wire.KeysOf(name), declared)
		if err != nil {
			t.Fatal(err)
		}
		refused := foreign.Wrong(found)
		if refused && mine.java != there.java {
			m.counts["refused"]++
			continue
		}
		got, err := b.jvm.Call(t.Context(), "decode %s %x", codec, payload)
		switch agree := err == nil && got == want; {
		case agree && refused && found.Foreign == 0: // else Java reads more forms than Go does
			t.Errorf("%s: refused: %v", cell, found)
		case refused:
			m.counts["refused"]++
		case agree:
			m.counts["agreed"]++
		case !proven(mine.code, payloads[1:]), (bareMap(mine.code, payload) || inner && bareMap(mine.code, payloads[1])) && (shape.name == "map" || shape.name == "list"):
			m.counts["not proven"]++
		default:
			t.Errorf("%s: there %.300q, Go writes %.300q, Java: %.200s %v", cell, payloads[1], payload, got, err)
		}
	}
}

// bareMap reports whether nothing in a payload says which of its numbers and texts are Longs and
// dates, as "duequeue inspect" notes.
func bareMap(c codecs.Codec, payload []byte) bool {
	return strings.Contains(c.Name(), "json") && !bytes.Contains(payload, []byte("java."))
}

// proven reports whether "duequeue inspect" says of a codec that payloads are of it: strong.
func proven(c codecs.Codec, payloads [][]byte) bool {
	if !slices.ContainsFunc(payloads, func(p []byte) bool { return foreign.TellsForm(c, p) }) {
		return false
	}
	name, _, settings := strings.Cut(c.Name(), "+")
	return settings || slices.ContainsFunc(sniff.Guess(payloads[0]), func(g sniff.Candidate) bool {
		return g.Codec == name && g.Confidence >= sniff.Strong
	})
}
