package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/catalog"
	"github.com/duequeue/duequeue/codecs/sniff"
)

// guessed is a codec that was chosen because none was named.
type guessed struct {
	taken  sniff.Candidate
	others []sniff.Candidate
}

// named returns the codec that flags alone stand for, "" where the bytes must tell.
func (d *decoder) named() string {
	switch opts := &d.classes.opts; {
	case opts.Schema != "":
		return "avrojackson"
	case opts.References, len(opts.Allowed) > 0:
		return "kryo5"
	}
	return ""
}

// checkGuessing reports flags that no codec would take, before there is a payload.
func (d *decoder) checkGuessing() error {
	opts := d.classes.opts
	if _, err := catalog.FindWith("jsonjackson", catalog.Options{Dialect: opts.Dialect}); err != nil {
		return &usageError{err: fmt.Errorf("-dialect: %w", err)}
	}
	_, redisson := catalog.FindWith("jsonjackson", catalog.Options{Since: opts.Since})
	if _, own := catalog.FindWith("fst", catalog.Options{Since: opts.Since}); redisson != nil && own != nil {
		return &usageError{err: fmt.Errorf("-since: %w", redisson)}
	}
	return nil
}

// decodeGuessed decodes with the likeliest codec that knows the flags and reads the
// payload. What is certain or strong is not passed over when it does not read it: its
// error tells more than what a weaker guess makes of the bytes.
func (d *decoder) decodeGuessed(payload []byte) result {
	candidates := sniff.Guess(payload)
	var failed *result
	for i, c := range candidates {
		d.classes.name = c.Codec
		codec, err := d.classes.build()
		var unknown *catalog.UnknownError
		switch {
		case errors.As(err, &unknown) && unknown.Kind == catalog.Unservable && failed == nil && c.Confidence >= sniff.Fair:
			return d.unguessed(payload, c)
		case err != nil:
			continue // not seen inside, or without such flags
		}
		d.codec = codec
		r := d.decodeNamed(payload)
		r.guess = &guessed{c, append(append([]sniff.Candidate{}, candidates[:i]...), candidates[i+1:]...)}
		if r.err == nil || c.Confidence >= sniff.Strong {
			return r
		}
		if failed == nil {
			failed = &r
		}
	}
	if failed != nil {
		return *failed
	}
	if len(candidates) > 0 {
		return d.unguessed(payload, candidates[0])
	}
	return result{payload: payload, err: &codecs.DecodeError{
		Codec: "none", Offset: -1, Reason: "nothing in the bytes tells which codec wrote them: name one with -codec",
	}}
}

// unguessed says why the codec that the bytes look like is not used.
func (d *decoder) unguessed(payload []byte, c sniff.Candidate) result {
	_, err := catalog.FindWith(c.Codec, d.classes.opts)
	what := ", and nothing else"
	var option *catalog.OptionError
	if errors.As(err, &option) {
		what = ", and like no codec that takes these flags"
		if len(option.Options) > 0 {
			err = fmt.Errorf("codec %s does not know the flag %s", option.Codec, strings.Join(flagsOf(option.Options), ", "))
		}
	}
	return result{payload: payload, err: &codecs.DecodeError{
		Codec: "none", Offset: -1, Reason: fmt.Sprintf("the bytes look like %s (%s)%s; -codec says otherwise", c.Codec, c.Why, what), Err: err,
	}}
}

// printRest says that bytes follow the value, with codecs that do not look at them, as
// Java's on Jackson 2: what another codec wrote often begins with a value.
func (r *result) printRest(c codecs.Codec, w io.Writer) {
	if r.err != nil {
		return
	}
	if _, err := codecs.Whole(c).Decode(r.payload); err != nil {
		_, _ = fmt.Fprintf(w, "duequeue: bytes follow the value, which Java ignores: another codec may have written them (%v)\n", err)
	}
}

// print says which codec was taken, why, and which others there are.
func (g *guessed) print(w io.Writer) {
	if g == nil {
		return
	}
	fmt.Fprintf(w, "duequeue: read as %s (%s): %s\n", g.taken.Codec, g.taken.Confidence, g.taken.Why)
	if len(g.others) == 0 {
		return
	}
	names := make([]string, len(g.others))
	for i, o := range g.others {
		names[i] = fmt.Sprintf("%s (%s)", o.Codec, o.Confidence)
	}
	fmt.Fprintf(w, "duequeue: it may also be %s: -codec NAME says which\n", strings.Join(names, ", "))
}
