package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/duequeue/duequeue/codecs/java"
)

// runLines decodes one payload per line. A line that fails, or is too long,
// gives a line too; those after it are not affected.
func (d *decoder) runLines(ctx context.Context, e *env) error {
	src, err := e.source(d.file)
	if err != nil {
		return err
	}
	defer src.Close() //nolint:errcheck // only read from
	in := &lineReader{r: bufio.NewReaderSize(src, 64<<10), limit: textLimit(d.max)}
	out := bufio.NewWriter(e.stdout)
	failed := false
	for ctx.Err() == nil {
		text, err := in.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil && !errors.Is(err, errLineTooLong) {
			return errors.Join(err, out.Flush())
		}
		r := d.line(text, err)
		failed = failed || r.err != nil
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
	if failed {
		return errReported
	}
	return nil
}

func (d *decoder) line(text []byte, err error) result {
	if err != nil {
		return result{err: fmt.Errorf("%w: more than %d characters for a payload of at most %d bytes (-max)", err, textLimit(d.max), d.max)}
	}
	payload, err := d.in.bytes(text)
	if err != nil {
		return result{err: err}
	}
	return d.decode(payload)
}

// json returns r as one line of JSON, without its end.
func (r result) json(roundtrip bool) []byte {
	if r.err != nil {
		return r.errorJSON()
	}
	view := r.named(java.ViewTyped(r.value))
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
	d := asDecodeError(r.err)
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
	if r.value != nil {
		line.Decoded = java.ViewTyped(r.value)
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
	if r.guess == nil {
		return object
	}
	out := append([]byte(`{"codec":`), strconv.Quote(r.guess.taken.Codec)...)
	return append(append(out, ','), object[1:]...)
}
