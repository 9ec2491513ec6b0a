package lease

import (
	"errors"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

func TestOptions(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		opts Options
		bad  []string
	}{
		"zero":        {},
		"short lease": {opts: Options{Lease: time.Second}},
		"all wrong": {
			opts: Options{SessionID: "a:b", Lease: time.Millisecond, Block: time.Second, MaxPayload: -1, MaxBatch: -1, Repeats: -1},
			bad:  []string{"SessionID", "Lease", "Block", "MaxPayload", "MaxBatch", "Repeats"},
		},
		"short block": {opts: Options{Block: time.Millisecond}, bad: []string{"Block"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			o, err := c.opts.withDefaults()
			var got []string
			if joined, ok := err.(interface{ Unwrap() []error }); ok {
				for _, e := range joined.Unwrap() {
					var bad *OptionError
					if errors.As(e, &bad) {
						got = append(got, bad.Option)
					}
				}
			}
			if len(got) != len(c.bad) {
				t.Fatalf("mistakes %v, want %v", got, c.bad)
			}
			for i := range got {
				if got[i] != c.bad[i] {
					t.Errorf("mistake %d in %s, want %s", i, got[i], c.bad[i])
				}
			}
			if err == nil && (len(o.SessionID) != 16 || o.Lease == 0 || o.Block < time.Second || o.MaxPayload == 0) {
				t.Errorf("defaults %+v", o)
			}
		})
	}
}

func TestNewRefusesOtherClients(t *testing.T) {
	t.Parallel()
	ring := redis.NewRing(&redis.RingOptions{Addrs: map[string]string{"a": "127.0.0.1:1"}})
	t.Cleanup(func() { _ = ring.Close() })
	var bad *OptionError
	if _, err := New(ring, ring, newKeys(), Options{}); !errors.As(err, &bad) {
		t.Fatalf("New: %v", err)
	}
}

func TestUnreachableRedis(t *testing.T) {
	t.Parallel()
	c := redis.NewClient(&redis.Options{Addr: "127.0.0.1:1", MaxRetries: -1})
	t.Cleanup(func() { _ = c.Close() })
	s, err := New(c, c, newKeys(), Options{})
	must(t, err)
	t.Cleanup(func() { s.lanes.close() })
	if _, err := s.Take(t.Context(), 1, nil); err == nil || errors.Is(err, ErrAbandoned) {
		t.Fatalf("take: %v", err)
	}
	if s.pending != nil {
		t.Fatal("nothing was sent, yet the fetch is in doubt")
	}
}

func FuzzDecodeTake(f *testing.F) {
	f.Add([]byte("*1\r\n$18\r\n0 17 5 0 0 0 0 00 0\r\n"))
	f.Add([]byte("*6\r\n$1\r\na\r\n$0\r\n\r\n$0\r\n\r\n$0\r\n\r\n$0\r\n\r\n$13\r\n0 1 2 3 4 5 6\r\n"))
	f.Add([]byte("-WRONGTYPE no\r\n"))
	f.Add([]byte("*6\r\n$1\r\na\r\n$41\r\nu00000000000000770000000000000001\x07123456x\r\n$0\r\n\r\n$9\r\n1 1 1 0 f\r\n$9\r\nr 1 d 1-1\r\n$13\r\n0 1 2 3 4 5 6\r\n"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		b, _, err := decodeTake(raw, &fetch{nonce: "0123456789abcdef"})
		if err != nil && len(b.Messages) > 0 {
			t.Fatal("messages beside an error")
		}
	})
}
