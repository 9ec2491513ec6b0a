package fault

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// Injected is one piece of poison that Redis has accepted.
type Injected struct {
	Kind string // for example "element: length beyond its end"
	// Body is what a consumer, or the dead store, gets: the payload, or the whole element where
	// that fits no layout or has an impossible score, so that the transfer must put it into the
	// dead store by itself. No two are equal.
	Body []byte
}

// Poison puts bytes into a queue that are to be found in the dead store later. It belongs to one
// goroutine at a time.
type Poison struct {
	Fault

	Injected []Injected

	rng  *rand.Rand
	seed uint64
}

// NewPoison makes a fault without duration that puts one piece of each kind into a queue, as a
// broken or hostile producer would: on the ready list bytes that no codec should accept (noise,
// nesting, absurd lengths, objects of foreign classes, text that tries to forge log lines), and
// into Redisson's timeout set elements that are due, malformed or with such payloads.
//
// A Java client whose transfer meets a malformed element fails in the middle of its script, each
// time it tries, after it has pushed what stands before the element: do not use it beside Java.
func NewPoison(tb testing.TB, rdb *redis.Client, queue string, seed uint64) *Poison {
	p := &Poison{seed: seed, rng: rand.New(rand.NewPCG(seed, 0x9015011))}
	p.Fault = Fault{
		Name: "poison bytes and elements", End: func() {}, Effects: func() int { return len(p.Injected) },
		Begin: func() {
			ctx := tb.Context()
			for _, bad := range p.payloads() {
				noError(tb, rdb.RPush(ctx, queue, bad.Body).Err())
				p.Injected = append(p.Injected, bad)
			}
			now, err := rdb.Time(ctx).Result()
			noError(tb, err)
			for _, bad := range p.elements(now) {
				added, err := rdb.ZAdd(ctx, "redisson_delay_queue_timeout:{"+queue+"}", redis.Z{Score: bad.score, Member: bad.element}).Result()
				noError(tb, err)
				if added != 1 {
					tb.Fatalf("%s was there already", bad.Kind)
				}
				p.Injected = append(p.Injected, bad.Injected)
			}
			noError(tb, rdb.Publish(ctx, "redisson_delay_queue_channel:{"+queue+"}", now.UnixMilli()).Err()) // as a producer does
		},
	}
	return p
}

// payloads makes one payload of each kind. Each ends with a text of its own, so that
// no two are equal and each is found again.
func (p *Poison) payloads() []Injected {
	noise := make([]byte, 1+p.rng.IntN(300))
	for i := range noise {
		noise[i] = byte(p.rng.Uint32())
	}
	kinds := []struct {
		kind string
		head string
	}{
		{"noise", string(noise)},
		{"only its mark", ""},
		{"not UTF-8", "\xff\xfe\xc0\x80"},
		{"zeros", strings.Repeat("\x00", 64)},
		{"deep nesting", strings.Repeat("[", 20_000)},
		{"deep objects", strings.Repeat(`{"a":`, 5_000)},
		{"absurd length", "\x01\xff\xff\xff\xff\x0f"},
		{"Java stream of a foreign class", "\xac\xed\x00\x05sr\x00\x1ajava.lang.ProcessBuilder$X\x00\x00\x00\x00\x00\x00\x00\x01\x02\x00\x00xp"},
		{"typed JSON of a foreign class", `["javax.naming.InitialContext",{"lookup":"ldap://127.0.0.1:1/x"}]`},
		{"forged log line", "\r\nlevel=ERROR msg=\"all lost\"\x1b[2J\x1b]0;owned\x07"},
		{"large", strings.Repeat("\xf7", 256<<10)},
	}
	made := make([]Injected, len(kinds))
	for i, k := range kinds {
		made[i] = Injected{Kind: "payload: " + k.kind, Body: fmt.Appendf([]byte(k.head), "#poison-%d-%d", p.seed, p.rng.Uint64())}
	}
	return made
}

type poisonElement struct {
	Injected

	element []byte
	score   float64
}

// elements makes one element of each kind, all due now or before.
func (p *Poison) elements(now time.Time) []poisonElement {
	due := float64(now.UnixMilli())
	var made []poisonElement
	for _, b := range p.payloads()[:4] {
		b.Kind = "well-formed element, " + b.Kind
		made = append(made, poisonElement{b, p.pack(b.Body, len(b.Body)), due})
	}
	malformed := func(kind string, element []byte) {
		made = append(made, poisonElement{Injected{"element: " + kind, element}, element, due})
	}
	tail := func() []byte { return p.payloads()[1].Body }
	malformed("no head", tail())
	malformed("length beyond its end", p.pack(tail(), 1<<40))
	malformed("length short of its end", p.pack(tail(), 3))
	malformed("length of 64 bits", p.pack(tail(), -1))
	malformed("id longer than the rest", append([]byte{0xff}, tail()...))
	for _, score := range []float64{-1, -1 << 53} {
		body := tail()
		made = append(made, poisonElement{Injected{fmt.Sprintf("element: score %g", score), body}, p.pack(body, len(body)), score})
	}
	return made
}

// pack makes an element in the layout that every Redisson reads, with any length in it.
func (p *Poison) pack(payload []byte, length int) []byte {
	id := p.rng.Uint64()
	e := binary.BigEndian.AppendUint64(nil, id&^(0xff<<56)|7<<56)
	e = binary.LittleEndian.AppendUint64(e, uint64(length))
	return append(e, payload...)
}
