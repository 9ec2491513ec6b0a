package fault

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

// Injected is one piece of poison that Redis has accepted.
type Injected struct {
	Kind string // for example "element: length beyond its end"
	// Body is what a consumer, or the dead store, gets: the payload, or the whole element
	// where that is Malformed. No two are equal.
	Body []byte
	// Malformed tells that the element fits no layout or has an impossible score, so the
	// transfer must put it into the dead store by itself. Otherwise Body reaches a consumer,
	// whose codec should refuse it.
	Malformed bool
}

// Poisoner is a fault without duration: each strike puts one piece of each kind into a
// queue. What it put there is to be found in the dead store later. Safe for concurrent
// use.
type Poisoner struct {
	simple

	rdb  *redis.Client
	keys Keys

	mu       sync.Mutex
	rng      *rand.Rand
	seed     uint64
	injected []Injected
}

// Mark is in the body of each piece of poison.
const Mark = "#poison-"

// PoisonReady puts bytes that no codec should accept on the ready list of a queue, as a
// broken or hostile producer would: noise, nesting, absurd lengths, objects of foreign
// classes, text that tries to forge log lines.
func PoisonReady(rdb *redis.Client, queue string, seed uint64) *Poisoner {
	p := newPoisoner("poison bytes", rdb, queue, seed)
	p.begin = func(ctx context.Context) error {
		for _, bad := range p.payloads() {
			if err := rdb.RPush(ctx, p.keys.Ready, bad.Body).Err(); err != nil {
				return err
			}
			p.add(bad)
		}
		return nil
	}
	return p
}

// PoisonTimeout puts elements that are due into Redisson's timeout set: malformed ones,
// and well-formed ones whose payload no codec should accept or whose score is impossible.
//
// A Java client whose transfer meets a malformed element fails in the middle of its
// script, each time it tries, after it has pushed what stands before the element: as long
// as such an element is there Java repeats messages. Count them to the fault.
func PoisonTimeout(rdb *redis.Client, queue string, seed uint64) *Poisoner {
	p := newPoisoner("poison elements", rdb, queue, seed)
	p.begin = func(ctx context.Context) error {
		now, err := rdb.Time(ctx).Result()
		if err != nil {
			return err
		}
		for _, bad := range p.elements(now) {
			added, err := rdb.ZAdd(ctx, p.keys.Timeout, redis.Z{Score: bad.score, Member: bad.element}).Result()
			if err != nil {
				return err
			}
			if added != 1 {
				return fmt.Errorf("%w: %s was there already", ErrNoEffect, bad.Kind)
			}
			p.add(bad.Injected)
		}
		return rdb.Publish(ctx, p.keys.Channel, now.UnixMilli()).Err() // as a producer does
	}
	return p
}

func newPoisoner(name string, rdb *redis.Client, queue string, seed uint64) *Poisoner {
	p := &Poisoner{rdb: rdb, keys: KeysOf(queue), seed: seed, rng: rand.New(rand.NewPCG(seed, 0x9015011))}
	p.state = state{name: name, unit: "pieces of poison"}
	p.momentary = true
	return p
}

// Injected returns what was put there so far, in order.
func (p *Poisoner) Injected() []Injected {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.injected)
}

func (p *Poisoner) add(bad Injected) {
	p.effects.Add(1)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.injected = append(p.injected, bad)
}

// payloads makes one payload of each kind. Each ends with a text of its own, so that
// no two are equal and each is found again.
func (p *Poisoner) payloads() []Injected {
	p.mu.Lock()
	defer p.mu.Unlock()
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
		made[i] = Injected{Kind: "payload: " + k.kind, Body: fmt.Appendf([]byte(k.head), "%s%d-%d", Mark, p.seed, p.rng.Uint64())}
	}
	return made
}

type poisonElement struct {
	Injected

	element []byte
	score   float64
}

// elements makes one element of each kind, all due now or before.
func (p *Poisoner) elements(now time.Time) []poisonElement {
	due := float64(now.UnixMilli())
	var made []poisonElement
	for _, b := range p.payloads()[:4] {
		b.Kind = "well-formed element, " + b.Kind
		made = append(made, poisonElement{b, p.pack(b.Body, len(b.Body)), due})
	}
	malformed := func(kind string, element []byte) {
		made = append(made, poisonElement{Injected{"element: " + kind, element, true}, element, due})
	}
	tail := func() []byte { return p.payloads()[1].Body }
	malformed("no head", tail())
	malformed("length beyond its end", p.pack(tail(), 1<<40))
	malformed("length short of its end", p.pack(tail(), 3))
	malformed("length of 64 bits", p.pack(tail(), -1))
	malformed("id longer than the rest", append([]byte{0xff}, tail()...))
	for _, score := range []float64{-1, -1 << 53} {
		body := tail()
		made = append(made, poisonElement{Injected{fmt.Sprintf("element: score %g", score), body, true}, p.pack(body, len(body)), score})
	}
	return made
}

// pack makes an element in the layout that every Redisson reads, with any length in it.
func (p *Poisoner) pack(payload []byte, length int) []byte {
	p.mu.Lock()
	id := p.rng.Uint64()
	p.mu.Unlock()
	e := binary.BigEndian.AppendUint64(nil, id&^(0xff<<56)|7<<56)
	e = binary.LittleEndian.AppendUint64(e, uint64(length))
	return append(e, payload...)
}
