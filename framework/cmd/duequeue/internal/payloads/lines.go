package payloads

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/duequeue/duequeue/codecs/view"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/env"
)

// runLines decodes one payload per line. A line that fails, or is too long,
// gives a line too; those after it are not affected.
func (d *decoder) runLines(ctx context.Context, e *env.Env) error {
	src, err := source(e, d.file)
	if err != nil {
		return err
	}
	defer src.Close() //nolint:errcheck // only read from
	in := &lineReader{r: bufio.NewReaderSize(src, 64<<10), limit: textLimit(d.max)}
	out := bufio.NewWriter(e.Stdout)
	bad := false
	for ctx.Err() == nil {
		text, err := in.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil && !errors.Is(err, errLineTooLong) {
			return errors.Join(err, out.Flush())
		}
		r := d.line(text, err)
		bad = bad || r.Err != nil
		// A Writer keeps its first error; Flush returns it.
		out.Write(append(r.json(d.roundtrip), '\n')) //nolint:errcheck // see above
		if in.r.Buffered() == 0 {
			if err := out.Flush(); err != nil {
				return err
			}
		}
	}
	if err := errors.Join(context.Cause(ctx), out.Flush()); err != nil {
		return err
	}
	if bad {
		return env.ErrReported
	}
	return nil
}

func (d *decoder) line(text []byte, err error) result {
	if err != nil {
		return failed(fmt.Errorf("%w: more than %d characters for a payload of at most %d bytes (-max)", err, textLimit(d.max), d.max))
	}
	body, err := d.in.bytes(text)
	if err != nil {
		return failed(err)
	}
	return d.decode(body)
}

// json returns r as one line of JSON, without its end.
func (r result) json(roundtrip bool) []byte {
	if r.Err != nil {
		return r.errorJSON()
	}
	view := r.named(view.Typed(r.Value))
	if !roundtrip {
		return view
	}
	view = append(bytes.TrimSuffix(view, []byte("}")), `,"same":`...)
	return append(strconv.AppendBool(view, r.same), '}')
}

func (r result) errorJSON() []byte {
	type failure struct {
		Class  string `json:"class"`
		Path   string `json:"path"`
		Offset int    `json:"offset"`
		Reason string `json:"reason"`
	}
	d := asDecodeError(r.Err)
	f := failure{Class: d.Class, Path: d.Path, Offset: d.Offset, Reason: d.Reason}
	if d.Err != nil {
		if f.Reason != "" {
			f.Reason += ": "
		}
		f.Reason += d.Err.Error()
	}
	line := struct {
		Error   failure         `json:"error"`
		Decoded json.RawMessage `json:"decoded,omitempty"`
	}{Error: f}
	if r.Value != nil {
		line.Decoded = view.Typed(r.Value)
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(line); err != nil {
		// Strings and an int always encode; kept for the day they do not.
		return []byte(`{"error":{"class":"","path":"","offset":-1,"reason":"cannot show the error"}}`)
	}
	return r.named(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}

// named adds the codec that was guessed to a JSON object.
func (r result) named(object []byte) []byte {
	if r.Guess == nil {
		return object
	}
	out := append([]byte(`{"codec":`), strconv.Quote(r.Guess.Taken.Codec)...)
	return append(append(out, ','), object[1:]...)
}
