// Package foreign looks for payloads in a queue that its codec cannot read.
package foreign

import (
	"context"
	"errors"
	"log/slog"
	"regexp"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/delayed"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

const (
	// enough is how many different payloads that the codec cannot read make an
	// offer wrong: one poisoned message that comes again and again stops no offer.
	enough = 3
	// shownHead is how much of a payload an error shows.
	shownHead = 16
)

// Every spaces the looks.
const Every = time.Minute

// Warn logs that more payloads are foreign than at the last warning. It returns how many.
func Warn(ctx context.Context, log *slog.Logger, e *fault.ForeignPayloadsError, told int) int {
	if e.Foreign > told {
		log.WarnContext(ctx, "payloads lie in a queue that its codec cannot read", "queue", e.Queue, "codec", e.Codec, "err", e)
	}
	return e.Foreign
}

// Wrong reports whether the codec is wrong, and not some messages: enough different ones
// are foreign, and more than it reads.
func Wrong(e *fault.ForeignPayloadsError) bool {
	return e.Foreign >= enough && 2*e.Foreign > e.Looked
}

// Look looks at some payloads of the queue. It returns what the codec cannot read,
// and how many of those that it can read Java offered; typed reads into the queue's type.
func Look(ctx context.Context, rdb redis.UniversalClient, keys wire.Keys, code string, codec codecs.Codec, typed func([]byte) error) (*fault.ForeignPayloadsError, int, error) {
	found := &fault.ForeignPayloadsError{Queue: code, Codec: codec.Name()}
	if codec.Name() == "bytearray" { // any bytes are its own
		return found, 0, nil
	}
	s, err := delayed.Sample(ctx, rdb, keys, codec.WritesEmpty())
	if err != nil {
		return nil, 0, err
	}
	java := 0
	seen := map[string]bool{}
	for i, payload := range append(s.Pending, s.Ready...) {
		if seen[string(payload)] || len(payload) > codec.Limits().Bytes {
			continue
		}
		seen[string(payload)] = true
		found.Looked++
		err := readable(codec, payload, typed)
		if err == nil {
			if i < s.Java {
				java++
			}
			continue
		}
		if found.Foreign++; len(found.Samples) < enough {
			head := payload[:min(len(payload), shownHead)]
			found.Samples = append(found.Samples, fault.ForeignSample{Head: head, Size: len(payload), Err: err})
		}
	}
	return found, java, nil
}

// javaName is what a class of Java may be called.
var javaName = regexp.MustCompile(`^\[*[\pL_$][\pL\pN_$]+([.$][\pL_$]?[\pL\pN_$]*)*;?$`)

// names reports whether an error is about a class that the bytes name: one in a package or
// within another class, or one whose name is in the payload (Kryo marks its last
// character).
func names(payload []byte, class string) bool {
	if !javaName.MatchString(class) {
		return false
	}
	return strings.ContainsAny(class, ".$") || strings.Contains(string(payload), class[:len(class)-1])
}

// readable returns nil where a payload may come from the codec: it reads it whole, or
// the bytes name a class that is only not described here. Of several codecs one is
// enough.
func readable(codec codecs.Codec, payload []byte, typed func([]byte) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = nil // the codec is at fault, not the bytes
		}
	}()
	if len(payload) == 0 {
		return nil
	}
	if many, ok := codec.(*codecs.Alternatives); ok {
		var errs []error
		for _, one := range many.Codecs() {
			one := readable(one, payload, typed)
			if one == nil {
				return nil
			}
			errs = append(errs, one)
		}
		return errors.Join(errs...)
	}
	if codec.Name() == "string" {
		return readableText(payload)
	}
	strict := codec
	if s, ok := codec.(interface{ Strict() codecs.Codec }); ok {
		strict = s.Strict()
	}
	_, err = strict.Decode(payload)
	var decode *codecs.DecodeError
	switch {
	case err == nil:
	case errors.As(err, &decode) && names(payload, decode.Class):
		return nil
	case typed != nil && (strict == codec || strings.Contains(codec.Name(), "protobuf")) && typed(payload) == nil:
		// Payloads of protobuf do not say what they are, and some classes are read only
		// by those who described them.
		return nil
	}
	return err
}

// readableText refuses what no program writes as text.
func readableText(payload []byte) error {
	fault := func(at int, why string) error {
		return &codecs.DecodeError{Codec: "string", Offset: at, Reason: why}
	}
	if !utf8.Valid(payload) {
		return fault(-1, "is not UTF-8")
	}
	at := strings.IndexFunc(string(payload), func(r rune) bool {
		return unicode.IsControl(r) && r != '\t' && r != '\n' && r != '\r'
	})
	if at >= 0 {
		return fault(at, "holds a control character")
	}
	return nil
}
