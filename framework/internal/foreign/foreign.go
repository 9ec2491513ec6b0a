// Package foreign tells payloads of another codec from those of the queue's codec that do not fit
// its Go type, and looks for payloads in a queue that its codec cannot read or that are of another
// Java class or in another form than the queue writes.
package foreign

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"log/slog"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/queue/delayed"
	"github.com/duequeue/duequeue/framework/internal/redisapi"
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

// Found returns how many of the payloads that were looked at are foreign in any way.
func Found(e *fault.ForeignPayloadsError) int { return e.Foreign + e.Other + e.Form }

// Warn logs that more payloads are foreign than at the last warning. It returns how many.
func Warn(ctx context.Context, log *slog.Logger, e *fault.ForeignPayloadsError, told int) int {
	found := Found(e)
	if found > told {
		log.WarnContext(ctx, "the queue has payloads that its codec cannot read, or of another class or form", "queue", e.Queue, "codec", e.Codec, "err", e)
	}
	return found
}

// Wrong reports whether the declaration is wrong, and not some messages: enough different ones
// are foreign, or of another class, and more than are not.
func Wrong(e *fault.ForeignPayloadsError) bool {
	return WrongCodec(e) || WrongClass(e) || WrongForm(e)
}

// WrongCodec reports whether that is the codec.
func WrongCodec(e *fault.ForeignPayloadsError) bool { return most(e.Foreign, e.Looked) }

// WrongClass reports whether that is the class.
func WrongClass(e *fault.ForeignPayloadsError) bool { return most(e.Other, e.Looked) }

// WrongForm reports whether that is the form.
func WrongForm(e *fault.ForeignPayloadsError) bool { return most(e.Form, e.Looked) }

func most(n, looked int) bool { return n >= enough && 2*n > looked }

// Look looks at some payloads of the queue. It returns what is foreign to it, and how many
// of the others Java offered.
func Look(ctx context.Context, rdb redisapi.Client, keys wire.Keys, q Declared) (*fault.ForeignPayloadsError, int, error) {
	found := &fault.ForeignPayloadsError{Queue: q.Code, Codec: q.Codec.Name(), Class: q.Class}
	if q.Type != nil {
		found.Type = q.Type.String()
	}
	if q.Codec.Name() == "bytearray" { // any bytes are its own
		return found, 0, nil
	}
	s, err := delayed.Sample(ctx, rdb, keys, q.Codec.WritesEmpty())
	if err != nil {
		return nil, 0, err
	}
	java, classes := 0, map[string]int{}
	seen := map[string]bool{}
	for i, payload := range append(s.Pending, s.Ready...) {
		if seen[string(payload)] || len(payload) > q.Codec.Limits().Bytes {
			continue
		}
		seen[string(payload)] = true
		found.Looked++
		var has, writes string
		var form *fault.ForeignForm
		err := readable(q.Codec, payload, q.typed)
		if err == nil {
			has, writes, form, err = q.differs(payload)
		}
		if err != nil {
			if found.Foreign++; len(found.Samples) < enough {
				head := payload[:min(len(payload), shownHead)]
				found.Samples = append(found.Samples, fault.ForeignSample{Head: head, Size: len(payload), Err: err})
			}
			continue
		}
		if has != "" {
			found.Other++
			found.Class = writes
			classes[has]++
			continue
		}
		if form != nil {
			if found.Form++; len(found.Forms) < enough && !slices.Contains(found.Forms, *form) {
				found.Forms = append(found.Forms, *form)
			}
			continue
		}
		if i < s.Java {
			java++
		}
	}
	found.Classes = slices.SortedFunc(maps.Keys(classes), func(a, b string) int {
		return cmp.Or(cmp.Compare(classes[b], classes[a]), cmp.Compare(a, b))
	})
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

// readable returns nil where a payload may come from the codec. A codec that panics is at fault,
// and not the bytes. typed reads into the queue's type.
func readable(codec codecs.Codec, payload []byte, typed func([]byte) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = nil
		}
	}()
	return wrote(codec, payload, typed)
}

// wrote returns nil where a payload may come from the codec: it reads it whole, or the bytes
// name a class that is only not described here. Of several codecs one is enough.
func wrote(codec codecs.Codec, payload []byte, typed func([]byte) error) error {
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
	if strings.HasPrefix(codec.Name(), "smile") && !bytes.HasPrefix(payload, smileHeader) {
		return &codecs.DecodeError{Codec: codec.Name(), Reason: "has no header of Smile, which Redisson writes"}
	}
	strict := codecs.Whole(codec)
	_, err := strict.Decode(payload)
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

var smileHeader = []byte(":)\n")

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
