package compress

import (
	"errors"
	"fmt"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/option"
)

// Option changes how a compressing codec works. Mistakes in options are reported
// by Bind, Decode and Encode, all together.
type Option interface{ option.Option[settings] }

// settings are what options set.
type settings struct {
	limit int
	wide  bool           // Limits names Bytes
	since option.Release // zero where not given
}

// Limits bounds the bytes before compression, by its field Bytes: a payload that
// would expand to more is refused before memory is allocated for it. The other
// fields are the inner codec's. Bytes that are given also end the bound of what may come
// of a byte, which [ZStd] has. Defaults to the inner codec's own Bytes, which is
// also the most that it can be. A Depth that is negative or above 10,000 is a mistake.
func Limits(l codecs.Limits) Option {
	return option.Limits("compress.Limits", l, func(s *settings, l codecs.Limits) {
		s.limit, s.wide = l.WithDefaults().Bytes, l.Bytes != 0
	})
}

// Since names the release of Redisson that the Java services of the queue run, the
// oldest where they differ, for example "4.7.0". What is written is what that release
// writes and reads; reading takes what every release wrote, as far as the bytes tell,
// and where they do not, the release decides. A release without the codec is a mistake.
//
// The package's table says what it decides: LZ4V2 and SnappyV2 write other bytes
// towards old releases, because those cannot read the rest. Without it, what is
// written can be read by every release that has the frame of today.
func Since(release string) Option {
	return option.Since("compress.Since", release, func(s *settings, r option.Release) error { s.since = r; return nil })
}

// configure applies options in order and returns all their mistakes.
func configure(layer string, opts []Option) (settings, error) {
	s := settings{limit: codecs.Limits{Bytes: -1}.WithDefaults().Bytes}
	err := option.Configure(&s, opts)
	if s.given() {
		err = errors.Join(err, has(layer, s.since))
	}
	return s, err
}

// given reports whether the release is known.
func (s *settings) given() bool { return s.since != option.Release{} }

// lives are the first release with a codec, and the first without it again.
var lives = map[string]struct {
	class       string
	first, gone option.Release
}{
	"lz4v2":    {class: "LZ4CodecV2", first: option.Release{3, 24, 0}},
	"snappy":   {class: "SnappyCodec", gone: option.Release{4, 1, 0}},
	"snappyv2": {class: "SnappyCodecV2", first: option.Release{3, 7, 3}},
	"zstd":     {class: "ZStdCodec", first: option.Release{3, 39, 0}},
}

// has reports a release without the codec.
func has(layer string, r option.Release) error {
	l, known := lives[layer]
	switch {
	case known && r.Before(l.first):
		return fmt.Errorf("release %s of Redisson has no %s, which came with %s", r, l.class, l.first)
	case known && l.gone != option.Release{} && !r.Before(l.gone):
		return fmt.Errorf("release %s of Redisson has no %s: %s removed it", r, l.class, l.gone)
	}
	return nil
}
