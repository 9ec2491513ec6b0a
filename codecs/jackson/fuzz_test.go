package jackson_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/jackson"
)

// FuzzDecode: no payload makes the decoder panic; every error is a DecodeError;
// what was decoded can be written, and that is stable.
func FuzzDecode(f *testing.F) {
	for _, file := range []string{"json-root-4.7.0.txt", "json-nested-in-ArrayList-4.7.0.txt"} {
		for _, row := range rows(f, file, 100) {
			f.Add([]byte(row[1]))
		}
	}
	for _, row := range rows(f, "json-java-accepts-4.7.0.txt", 80) {
		f.Add([]byte(row[0]))
	}
	for _, row := range rows(f, "kinds-4.7.0.tsv", 90) {
		f.Add([]byte(row[1]))
	}
	for _, seed := range hostileTexts {
		f.Add([]byte(seed))
	}
	c := jackson.JsonJackson(hostile)
	typed, err := codecs.For[map[string]any](c, codecs.BindOptions{})
	if err != nil {
		f.Fatal(err)
	}
	fields, err := codecs.For[kinds](c, codecs.BindOptions{})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, payload []byte) {
		codectest.Allocates(t, payload, func() {
			checkError[*codecs.DecodeError](t, second(typed.Decode(payload)))
			k, err := fields.Decode(payload)
			if checkError[*codecs.DecodeError](t, err); err == nil {
				checkError[*codecs.EncodeError](t, second(fields.Encode(k)))
			}
		})
		v, err := c.Decode(payload)
		if checkError[*codecs.DecodeError](t, err); err != nil {
			return
		}
		once, err := c.Encode(v)
		if checkError[*codecs.EncodeError](t, err); err != nil {
			return // such as a BigDecimal of a huge scale
		}
		again, err := c.Decode(once)
		if err != nil {
			t.Fatalf("we cannot read what we wrote: %v\n%s\n%s", err, payload, once)
		}
		twice, err := c.Encode(again)
		if err != nil || !bytes.Equal(once, twice) {
			t.Fatalf("%v\nonce  %s\ntwice %s", err, once, twice)
		}
	})
}

func second[T any](_ T, err error) error { return err }

func checkError[E error](t *testing.T, err error) {
	t.Helper()
	var e E
	if err != nil && !errors.As(err, &e) {
		t.Fatalf("%T: %v", err, err)
	}
}
