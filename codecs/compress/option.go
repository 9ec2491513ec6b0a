package compress

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/duequeue/duequeue/codecs"
)

// Option changes how a compressing codec works. Mistakes in options are reported
// by Bind, Decode and Encode, all together.
type Option interface {
	apply(s *settings) error
	String() string
}

// settings are what options set.
type settings struct {
	limit int
	since release // zero where not given
}

// Limits bounds the bytes before compression, by its field Bytes: a payload that
// would expand to more is refused before memory is allocated for it. The other
// fields are the inner codec's. Defaults to the inner codec's own Bytes, which is
// also the most that it can be.
func Limits(l codecs.Limits) Option { return limitsOption(l) }

type limitsOption codecs.Limits

func (o limitsOption) String() string { return fmt.Sprintf("compress.Limits(%+v)", codecs.Limits(o)) }

func (o limitsOption) apply(s *settings) error {
	s.limit = codecs.Limits(o).WithDefaults().Bytes
	return nil
}

// Since says that every Java reader and writer of the queue runs at least that
// release of Redisson, for example "4.7.0". The package's table says what it
// changes: LZ4V2 and SnappyV2 write other bytes towards old releases, because
// those cannot read the rest. A release without the codec is a mistake. Without
// Since, what is written can be read by every release that has the frame of today.
func Since(version string) Option { return sinceOption(version) }

type sinceOption string

func (o sinceOption) String() string { return fmt.Sprintf("compress.Since(%q)", string(o)) }

func (o sinceOption) apply(s *settings) (err error) {
	s.since, err = parseRelease(string(o))
	return err
}

// release is a release of Redisson: {4, 7, 0}.
type release [3]int

func (r release) before(other release) bool { return slices.Compare(r[:], other[:]) < 0 }

func (r release) String() string { return fmt.Sprintf("%d.%d.%d", r[0], r[1], r[2]) }

// parseRelease reads "3.45", "3.45.1" or "4.7.0".
func parseRelease(text string) (release, error) {
	var r release
	parts := strings.Split(text, ".")
	if len(parts) < 2 || len(parts) > 3 {
		return r, fmt.Errorf("%q is no release of Redisson: write it as 3.45.1", text)
	}
	for i, part := range parts {
		n, err := strconv.Atoi(part)
		if err != nil || n < 0 || part[0] == '+' || n > 1<<20 {
			return release{}, fmt.Errorf("%q is no release of Redisson: write it as 3.45.1", text)
		}
		r[i] = n
	}
	return r, nil
}

// configure applies options in order and returns all their mistakes.
func configure(layer string, opts []Option) (settings, error) {
	s := settings{limit: codecs.Limits{Bytes: -1}.WithDefaults().Bytes}
	var errs []error
	for i, o := range opts {
		if o == nil {
			errs = append(errs, fmt.Errorf("option %d is nil", i+1))
			continue
		}
		if err := o.apply(&s); err != nil {
			errs = append(errs, fmt.Errorf("option %s: %w", o, err))
		}
	}
	if s.since != (release{}) {
		errs = append(errs, has(layer, s.since))
	}
	return s, errors.Join(errs...)
}

// lives are the first release with a codec, and the first without it again.
var lives = map[string]struct {
	class       string
	first, gone release
}{
	"lz4v2":    {class: "LZ4CodecV2", first: release{3, 24, 0}},
	"snappy":   {class: "SnappyCodec", gone: release{4, 1, 0}},
	"snappyv2": {class: "SnappyCodecV2", first: release{3, 7, 3}},
	"zstd":     {class: "ZStdCodec", first: release{3, 39, 0}},
}

// has reports a release without the codec.
func has(layer string, r release) error {
	l, known := lives[layer]
	switch {
	case known && r.before(l.first):
		return fmt.Errorf("release %s of Redisson has no %s, which came with %s", r, l.class, l.first)
	case known && l.gone != release{} && !r.before(l.gone):
		return fmt.Errorf("release %s of Redisson has no %s: %s removed it", r, l.class, l.gone)
	}
	return nil
}
