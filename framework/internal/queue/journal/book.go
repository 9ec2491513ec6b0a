// Package journal keeps what became of messages: pages of records in a sorted set beside each
// queue that declares registry.Journal. Processes gather records ([Pages]) and send them with
// their acks; operators read, and strike records of persons out.
package journal

import (
	"context"
	"embed"
	"log/slog"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework/internal/payload"
	"github.com/duequeue/duequeue/framework/internal/script"
	"github.com/duequeue/duequeue/framework/internal/wire"
	"github.com/duequeue/duequeue/registry"
)

//go:embed lua
var luaFiles embed.FS

var (
	library      = script.NewLibrary(luaFiles)
	writeScript  = library.Script("write")
	readScript   = library.Script("read")
	strikeScript = library.Script("strike")
)

// Scripts returns those of processes that offer, handle or look.
func Scripts() []*script.Script { return []*script.Script{writeScript, readScript} }

// OperateScripts returns what operators need besides.
func OperateScripts() []*script.Script { return []*script.Script{strikeScript} }

// Book is how the journal of a queue is written. It is immutable; nil is that of a queue that
// keeps none.
type Book struct {
	keep   time.Duration // 0 to write only where there is a journal
	most   int           // records of one partition
	fields payload.Paths
	head   string                            // of each page, behind the number
	value  func(payload []byte) (any, error) // nil where there are no fields
}

// BookOf returns the book of a queue, nil where it declares no journal.
func BookOf(q registry.Descriptor) *Book {
	p := q.Policy()
	if p.JournalKeep <= 0 {
		return nil
	}
	n := p.AllPartitions()
	return newBook(p.JournalKeep, (p.JournalLimit+n-1)/n, p.JournalFields(), q.Value)
}

// CancelBookOf is BookOf for those who cancel. A queue of bytes may be one of a tool, which does not
// know what the queue declares: it writes where somebody else keeps a journal.
func CancelBookOf(q registry.Descriptor) *Book {
	if b := BookOf(q); b != nil || q.Policy().Codec.Name() != codecs.ByteArray().Name() {
		return b
	}
	return newBook(0, 0, nil, nil)
}

// writer names this process.
var writer = sync.OnceValue(func() string {
	host, _ := os.Hostname() // "" is shown as unknown
	return host + "/" + strconv.Itoa(os.Getpid())
})

func newBook(keep time.Duration, most int, fields []string, value func([]byte) (any, error)) *Book {
	head := appendText([]byte{separator}, writer())
	for _, path := range fields {
		head = appendText(append(head, separator), path)
	}
	if len(fields) == 0 {
		value = nil
	}
	return &Book{keep: keep, most: most, fields: payload.PathsOf(fields...), head: string(append(head, '\n')), value: value}
}

// Args adds the arguments of fragment journal to those of a script: how long, how many, and pages.
func (b *Book) Args(args []any, pages []Page) []any {
	keep := any("")
	if b.keep > 0 {
		keep = b.keep.Milliseconds()
	}
	args = append(args, keep, b.most)
	for _, p := range pages {
		args = append(args, p.at, p.n, p.text)
	}
	return args
}

// Cancelled tells the journal, where there is a book, that a message was cancelled; body is its
// payload, nil where it is not known. A tool's record has fields where ctx has a [Decoder]. The
// message is cancelled in any case: what fails is logged.
func (b *Book) Cancelled(ctx context.Context, log *slog.Logger, rdb redis.Scripter, k wire.Keys, id, key string, body []byte) {
	if b == nil {
		return
	}
	if d, ok := ctx.Value(decoderKey{}).(*Decoder); ok && b.keep == 0 && body != nil {
		b = d.bookOf(ctx, rdb, k)
	}
	var value any
	if b.value != nil && body != nil {
		value = b.read(body)
	}
	_, own, _ := wire.CutPartition(id)
	var pages Pages
	pages.Add(b, &Record{Outcome: Cancelled, ID: own, Key: key, AtMs: time.Now().UnixMilli(), LateMs: -1}, wire.MessageID{}, value)
	if _, err := writeScript.Run(ctx, rdb, []string{k.Journal}, b.Args(nil, pages.Take())...); err != nil {
		log.WarnContext(ctx, "could not write the cancellation of a message to the journal", "id", id, "key", key, "err", err)
	}
}

// read decodes a payload, nil where that cannot be done.
func (b *Book) read(body []byte) (value any) {
	defer func() { // of a codec that is not ours
		if recover() != nil {
			value = nil
		}
	}()
	value, err := b.value(body)
	if err != nil {
		return nil
	}
	return value
}

// Trim deletes some of the records that are too old or too many, and returns how many are left. It
// begins the journal where there is none, so that tools write there.
func (b *Book) Trim(ctx context.Context, rdb redis.Scripter, k wire.Keys) (left int64, err error) {
	value, err := writeScript.Run(ctx, rdb, []string{k.Journal}, b.Args(nil, nil)...)
	if err != nil {
		return 0, err
	}
	r := script.NewReader(writeScript, value)
	left, err = strconv.ParseInt(r.Text(), 10, 64)
	if r.Err() != nil {
		err = r.Err()
	}
	return left, err
}
