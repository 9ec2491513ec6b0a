package framework

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework/internal/redisson"
	"github.com/duequeue/duequeue/registry"
)

const (
	// foreignEnough is how many different payloads that the codec cannot read make an
	// offer wrong: one poisoned message that comes again and again stops no offer.
	foreignEnough = 3
	// foreignEvery spaces the looks.
	foreignEvery = time.Minute
	// foreignHead is how much of a payload an error shows.
	foreignHead = 16
)

// ForeignPayloadsError says that an offer was refused, since the queue's codec cannot read
// payloads that are in the queue: the program that wrote them would fail on those of this
// client, and a Java program that fails has popped the message already. Nothing was offered.
type ForeignPayloadsError struct {
	Queue   string // code
	Codec   string // name of the queue's codec
	Looked  int    // different payloads that were looked at
	Foreign int    // how many of these the codec cannot read
	// Samples are some of the foreign ones.
	Samples []ForeignSample
}

// ForeignSample shows how a foreign payload begins.
type ForeignSample struct {
	Head []byte // 16 bytes at most
	Size int    // of the whole payload
	Err  error  // why the codec cannot read it
}

// Error says how they begin, and how to find out more.
func (e *ForeignPayloadsError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "queue %q: %d of %d payloads that lie there cannot be read by its codec %s", e.Queue, e.Foreign, e.Looked, e.Codec)
	for i, s := range e.Samples {
		sep := ", "
		if i == 0 {
			sep = "; they begin with "
		}
		fmt.Fprintf(&b, "%s%x (%d bytes)", sep, s.Head, s.Size)
	}
	b.WriteString(`. The program that wrote them would lose what this one offers: find the codec with "duequeue decode -in hex" and a whole payload, and declare it; see registry.OnForeign where that is wanted`)
	return codecs.Printable(b.String(), maxDetail)
}

// ErrorType returns "foreign_payloads", the low-cardinality name used in telemetry.
func (e *ForeignPayloadsError) ErrorType() string { return "foreign_payloads" }

// foreignGuard looks now and then at what lies in a queue that is offered to.
type foreignGuard struct {
	mu      sync.Mutex
	next    time.Time
	settled bool  // Java's payloads were seen, and read
	refused error // of the last look
	told    int   // foreign ones in the last warning
}

// checkForeign returns the error with which an offer is refused. It asks Redis at most
// once a minute, and no more once Java's payloads were seen that the codec reads. A look
// that fails refuses nothing: the offer that follows says what is wrong.
func (q *Queue[T]) checkForeign(ctx context.Context, t *target) error {
	c := q.client
	mode := c.foreignMode(q.queue)
	if mode == registry.ForeignIgnore {
		return nil
	}
	g := &t.foreign
	g.mu.Lock()
	defer g.mu.Unlock()
	now := time.Now()
	if g.settled || now.Before(g.next) {
		return g.refused
	}
	g.next = now.Add(foreignEvery)
	found, java, err := lookForeign(ctx, c, t.keys, t.code, q.queue.Policy().Codec, func(payload []byte) error {
		_, err := q.queue.Typed().Decode(payload)
		return err
	})
	if err != nil {
		return g.refused
	}
	g.refused, g.settled = nil, java > 0 && found.Foreign == 0
	if found.wrong() && mode == registry.ForeignRefuse {
		g.refused = found
		return found
	}
	g.told = found.warn(ctx, c.log, g.told)
	return nil
}

// warn logs that more payloads are foreign than at the last warning. It returns how many.
func (e *ForeignPayloadsError) warn(ctx context.Context, log *slog.Logger, told int) int {
	if e.Foreign > told {
		log.WarnContext(ctx, "payloads lie in a queue that its codec cannot read", "queue", e.Queue, "codec", e.Codec, "err", e)
	}
	return e.Foreign
}

// watchForeign warns of foreign payloads in a queue that the engine handles, and refuses
// nothing: the decode guard protects the handlers. It looks once, and again as long as
// there are some.
func (e *Engine) watchForeign(ctx context.Context, s *served) {
	q, decode := s.consumer.queue, s.consumer.decode
	if decode == nil || e.client.foreignMode(q) == registry.ForeignIgnore {
		return
	}
	typed := func(payload []byte) error {
		_, err := decode(payload)
		return err
	}
	for told := 0; ; {
		found, _, err := lookForeign(ctx, e.client, s.keys, q.Code(), q.Policy().Codec, typed)
		if err == nil && found.Foreign == 0 {
			s.foreign.Store(nil)
			return
		}
		if err == nil {
			s.foreign.Store(found)
			told = found.warn(ctx, e.log, told)
		}
		if !wait(ctx, foreignEvery) {
			return
		}
	}
}

// foreignMode is what the queue says, or else the configuration.
func (c *Client) foreignMode(q registry.Descriptor) registry.ForeignMode {
	if m := q.Policy().Foreign; m != registry.ForeignDefault {
		return m
	}
	switch c.cfg.ForeignPayloads {
	case ForeignPayloadsWarn:
		return registry.ForeignWarn
	case ForeignPayloadsIgnore:
		return registry.ForeignIgnore
	default:
		return registry.ForeignRefuse
	}
}

// wrong reports whether the codec is wrong, and not some messages: enough different ones
// are foreign, and more than it reads.
func (e *ForeignPayloadsError) wrong() bool {
	return e.Foreign >= foreignEnough && 2*e.Foreign > e.Looked
}

// lookForeign looks at some payloads of the queue. It returns what the codec cannot read,
// and how many of those that it can read Java offered; typed reads into the queue's type.
func lookForeign(ctx context.Context, c *Client, keys redisson.Keys, code string, codec codecs.Codec, typed func([]byte) error) (*ForeignPayloadsError, int, error) {
	found := &ForeignPayloadsError{Queue: code, Codec: codec.Name()}
	if codec.Name() == "bytearray" { // any bytes are its own
		return found, 0, nil
	}
	s, err := redisson.Sample(ctx, c.rdb, keys, codec.WritesEmpty())
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
		if found.Foreign++; len(found.Samples) < foreignEnough {
			head := payload[:min(len(payload), foreignHead)]
			found.Samples = append(found.Samples, ForeignSample{Head: head, Size: len(payload), Err: err})
		}
	}
	return found, java, nil
}

// javaName is what a class of Java may be called.
var javaName = regexp.MustCompile(`^\[*[\pL_$][\pL\pN_$]+([.$][\pL_$]?[\pL\pN_$]*)*;?$`)

// names reports whether an error is about a class that the bytes name: one in a package or
// within another class, or one whose name stands in the payload (Kryo marks its last
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
