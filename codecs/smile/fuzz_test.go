package smile_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/smile"
)

// FuzzDecode: no payload makes the decoder panic or take more memory than its bytes
// justify; every error is a DecodeError; what was decoded can be written, and that is
// stable.
func FuzzDecode(f *testing.F) {
	for i, row := range golden(f) {
		if i%7 == 0 {
			f.Add(unhex(f, row[4]))
		}
	}
	for _, seed := range []string{
		"3a290a02 f8 416161 01 ec00 bf" + strings.Repeat("61", 65) + "02 f9", "3a290a04 fd820102", "c4ff",
		"3a290a01 f8 fa 346162fcc6 fb fa 40c8 fb f9", "3a290a01 84 eda0bdedb880", "26810005", "2a80810005", "287b7c000000",
		"fa8061c43000c6fb", "e8870000000000000000", "250000000081", "240f7f7f7fbf",
	} {
		f.Add(unhex(f, seed))
	}
	all := readers(hostile)
	maps, err := codecs.For[map[string]any](all[smile.Name], codecs.BindOptions{})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, payload []byte) {
		for _, c := range all {
			checkAllocations(t, c, payload)
			codectest.Stable(t, c, payload)
		}
		if _, err := maps.Decode(payload); err != nil {
			var e *codecs.DecodeError
			if !errors.As(err, &e) {
				t.Fatalf("%x: untyped error %v", payload, err)
			}
		}
	})
}
