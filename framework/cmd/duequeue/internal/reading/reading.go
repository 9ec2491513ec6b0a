// Package reading reads the payloads of queues for the commands that show them.
package reading

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/urfave/cli/v3"

	"github.com/duequeue/duequeue/codecs/java/classfile"
	"github.com/duequeue/duequeue/codecs/view"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/env"
	"github.com/duequeue/duequeue/framework/internal/decoding"
	"github.com/duequeue/duequeue/framework/internal/payload"
)

// Payloads are what the flags say of payloads.
type Payloads struct {
	settings decoding.Settings
	paths    env.Paths
	visible  payload.Fields
	chosen   []string // of -show
	whole    bool
	reader   *decoding.Reader
}

// most is how many bytes of a payload [Payloads.Print] takes to be shown in full.
const most = 64 << 10

// WholeFlag is for commands that show one payload by [Payloads.Print].
func (p *Payloads) WholeFlag() cli.Flag {
	return env.Bool(&p.whole, "whole", false, "show all of a payload of more than 64 KiB")
}

// Flags returns the flags that say how payloads are read.
func (p *Payloads) Flags() []cli.Flag {
	return []cli.Flag{
		env.String(&p.settings.Codec, "codec", "", "codec `NAME` of the payloads; without it each payload tells"),
		env.Func("classes", "know the user classes in `FILE.jar|DIR`; may be given several times", p.paths.Set),
		env.List(&p.chosen, "show", "`FIELDS` of payloads that tables show, by comma: orderId,customer.name; all by default"),
	}
}

// FlagsWithoutCodec returns those of Flags that say nothing of the codec.
func (p *Payloads) FlagsWithoutCodec() []cli.Flag { return p.Flags()[1:] }

// With connects a command that reads payloads, and does something.
func (p *Payloads) With(ctx context.Context, e *env.Env, do func(ctx context.Context, client *framework.Client) error) (err error) {
	if err = p.open(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.close()) }()
	ctx, client, end, err := e.Connect(ctx)
	if err != nil {
		return err
	}
	defer end(&err)
	return do(ctx, client)
}

func (p *Payloads) open() (err error) {
	if len(p.paths) > 0 {
		if p.settings.Classes, err = classfile.Open(p.paths...); err != nil {
			return err
		}
	}
	p.visible = payload.Everything
	if len(p.chosen) > 0 {
		p.visible = payload.FieldsOf(p.chosen...)
	}
	if p.reader, err = decoding.New(p.settings); err != nil {
		return env.Usage(err)
	}
	return nil
}

// close closes the jars.
func (p *Payloads) close() error {
	if p.settings.Classes == nil {
		return nil
	}
	return p.settings.Classes.Close()
}

// Decode reads a payload as a codec does.
func (p *Payloads) Decode(body []byte) (any, error) {
	r := p.reader.Read(body)
	return r.Value, r.Err
}

// Summary says in a line what a payload holds, or how large it is where it cannot be read.
func (p *Payloads) Summary(body []byte) string {
	line, _, _ := p.Shown(body)
	return line
}

// Shown is Summary with the value. It reports false for what cannot be read.
func (p *Payloads) Shown(body []byte) (line string, value any, ok bool) {
	r := p.reader.Read(body)
	if r.Err != nil {
		text := fmt.Sprintf("%d bytes", len(body))
		if class := r.NeedsClasses(); class != "" {
			text += " of " + payload.ShortClass(class)
		}
		return text, nil, false
	}
	return payload.Tree(r.Value, p.visible, payload.Bounds{}).Summary(), r.Value, true
}

// Value is what a payload holds, for programs: its codec, the value as "duequeue decode
// -json" writes it, and the bytes.
type Value struct {
	Bytes   int             `json:"bytes"`
	Codec   string          `json:"codec,omitempty"`
	Value   json.RawMessage `json:"value,omitempty"`
	Error   string          `json:"error,omitempty"` // why it cannot be read
	Payload []byte          `json:"payload"`
}

// ValueOf returns it.
func (p *Payloads) ValueOf(body []byte) Value {
	r := p.reader.Read(body)
	v := Value{Bytes: len(body), Payload: body}
	if r.Codec != nil {
		v.Codec = r.Codec.Name()
	}
	if r.Err != nil {
		v.Error = r.Err.Error()
		return v
	}
	v.Value = view.Typed(r.Value)
	return v
}

// Print shows a payload to people: of a large one the beginning of each value and its size, but with the
// flag of WholeFlag.
func (p *Payloads) Print(w io.Writer, body []byte) error {
	r := p.reader.Read(body)
	if r.Err != nil {
		fmt.Fprintf(w, "payload    %d bytes that cannot be read: %v\n", len(body), r.Err)
		if class := r.NeedsClasses(); class != "" && !p.reader.HasClasses() {
			fmt.Fprintf(w, "           With -classes FILE.jar, a jar that has %s, it can be read.\n", class)
		}
		_, err := fmt.Fprintf(w, "           %x\n", body[:min(len(body), 64)])
		return err
	}
	how := "read as " + r.Codec.Name()
	if r.Guess != nil {
		how += fmt.Sprintf(" (%s; -codec says otherwise)", r.Guess.Taken.Confidence)
	}
	bounds := payload.WideBounds
	if len(body) > most && !p.whole {
		bounds, how = payload.Bounds{}, how+", cut here: -whole shows all"
	}
	_, err := fmt.Fprintf(w, "payload    %d bytes, %s\n%s\n", len(body), how, payload.Tree(r.Value, payload.Everything, bounds).Lines(0))
	return err
}
