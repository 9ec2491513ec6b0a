package registry_test

import (
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/registry"
)

// The queue adds its size check to the codec, and nothing else.
func BenchmarkQueue(b *testing.B) {
	q := registry.Define[string]("A", "", registry.Codec(codecs.String()))
	typed := q.Typed()
	payload := []byte("4711")
	b.Run("decode by queue", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, _ = q.Decode(payload)
		}
	})
	b.Run("decode by codec", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, _ = typed.Decode(payload)
		}
	})
	b.Run("encode by queue", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, _ = q.Encode("4711")
		}
	})
	b.Run("retry delay", func(b *testing.B) {
		p := q.Policy()
		b.ReportAllocs()
		for b.Loop() {
			p.RetryDelay(3)
		}
	})
	b.Run("policy", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_ = q.Policy()
		}
	})
}

func BenchmarkDefine(b *testing.B) {
	codec := registry.Codec(codecs.String())
	b.ReportAllocs()
	for b.Loop() {
		registry.Define[string]("A", "a title", codec)
	}
}
