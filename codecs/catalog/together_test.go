package catalog_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/duequeue/duequeue/codecs"
)

// trip binds a codec to a Go type and returns what reads a payload, writes it again and
// tells what came of it; nil where the codec does not carry the type.
func trip[T any](c codecs.Codec) func(payload []byte) string {
	typed, err := codecs.For[T](c, codecs.BindOptions{})
	if err != nil {
		return nil
	}
	return func(payload []byte) string {
		v, err := typed.Decode(payload)
		if err != nil {
			return err.Error()
		}
		again, err := typed.Encode(v)
		return fmt.Sprintf("%x %v", again, err)
	}
}

// TestTogether: one codec and one binding serve many goroutines, whatever the codec.
// "make test-all" runs it with -race.
func TestTogether(t *testing.T) {
	t.Parallel()
	for _, s := range suspects(t) {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			bind := func() []func([]byte) string {
				return []func([]byte) string{trip[any](s.codec), trip[secretBean](s.codec), trip[map[string]any](s.codec), trip[avroBean](s.codec), trip[string](s.codec), trip[int64](s.codec)}
			}
			shared := bind()
			run := func() (told []string) {
				for _, trips := range [][]func([]byte) string{shared, bind(), shared} {
					for _, there := range trips {
						for _, payload := range s.payloads {
							if there != nil {
								told = append(told, there(payload), there(payload[:len(payload)-1]))
							}
						}
					}
				}
				return told
			}
			var told [4][]string
			var all sync.WaitGroup
			begin := make(chan struct{}) // at one moment, while what is kept of classes is not there yet
			for i := range told {
				all.Go(func() {
					<-begin
					told[i] = run()
				})
			}
			close(begin)
			all.Wait()
			alone := run()
			for _, got := range told {
				if !slices.Equal(got, alone) {
					t.Errorf("together:\n%.2000q\nalone:\n%.2000q", got, alone)
				}
			}
		})
	}
}
