package decoding

import (
	"errors"
	"fmt"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/catalog"
	"github.com/duequeue/duequeue/codecs/sniff"
)

// Guess is a codec that was chosen because none was named.
type Guess struct {
	Taken  sniff.Candidate
	Others []sniff.Candidate
}

// guess reads with the likeliest codec that knows the options and reads the payload. What is
// certain or strong is not passed over when it does not read it: its error tells more than
// what a weaker guess makes of the bytes.
func (r *Reader) guess(payload []byte) Payload {
	candidates := sniff.Guess(payload)
	var failed *Payload
	for i, c := range candidates {
		_, _, err := r.classes.codec(c.Codec)
		var unknown *catalog.UnknownError
		switch {
		case errors.As(err, &unknown) && unknown.Kind == catalog.Unservable && failed == nil && c.Confidence >= sniff.Fair:
			return r.unguessed(payload, c)
		case err != nil:
			continue // not seen inside, or without such options
		}
		p := r.readAs(c.Codec, payload)
		p.Guess = &Guess{c, append(append([]sniff.Candidate{}, candidates[:i]...), candidates[i+1:]...)}
		if p.Err == nil || c.Confidence >= sniff.Strong {
			return p
		}
		if failed == nil {
			failed = &p
		}
	}
	if failed != nil {
		return *failed
	}
	if len(candidates) > 0 {
		return r.unguessed(payload, candidates[0])
	}
	return Payload{Bytes: payload, Err: &codecs.DecodeError{
		Codec: "none", Offset: -1, Reason: "nothing in the bytes tells which codec wrote them: name one with -codec",
	}}
}

// unguessed says why the codec that the bytes look like is not used.
func (r *Reader) unguessed(payload []byte, c sniff.Candidate) Payload {
	_, err := catalog.FindWith(c.Codec, r.classes.opts)
	what := ", and nothing else"
	var option *catalog.OptionError
	if errors.As(err, &option) {
		what = ", and like no codec that takes these settings"
	}
	return Payload{Bytes: payload, Err: &codecs.DecodeError{
		Codec: "none", Offset: -1, Reason: fmt.Sprintf("the bytes look like %s (%s)%s; -codec says otherwise", c.Codec, c.Why, what), Err: err,
	}}
}
