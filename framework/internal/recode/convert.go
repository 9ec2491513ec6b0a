package recode

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/view"
)

// errBoth says that the bytes alone do not tell which codec wrote them.
var errBoth = errors.New("both codecs can read the payload, with different results")

// Between returns a payload of one codec as another one writes it, nil where that one wrote it
// already. It reads what it has written, and refuses what does not come out the same, with its
// classes: a codec may not carry all that another does.
func Between(from, to codecs.Codec, payload []byte) (fresh []byte, err error) {
	defer func() { // of a codec that is not ours
		if trouble := recover(); trouble != nil {
			fresh, err = nil, fmt.Errorf("a codec panicked: %v", trouble)
		}
	}()
	old, oldErr := codecs.Whole(from).Decode(payload)
	now, nowErr := codecs.Whole(to).Decode(payload)
	switch {
	case oldErr != nil && nowErr == nil:
		return nil, nil
	case oldErr != nil:
		return nil, oldErr
	case nowErr == nil:
		switch before, after := writes(from, old, payload), writes(to, now, payload); {
		case after && !before:
			return nil, nil
		case after == before:
			return nil, errBoth
		}
	}
	if fresh, err = to.Encode(old); err != nil {
		return nil, err
	}
	again, err := to.Decode(fresh)
	if err != nil {
		return nil, fmt.Errorf("codec %s does not read what it has written: %w", to.Name(), err)
	}
	was, all := view.Unfolded(old)
	is, allAgain := view.Unfolded(again)
	switch {
	case !all || !allAgain:
		return nil, errors.New("the payload has too many values, or is nested too deep, to compare it with its new form")
	case !bytes.Equal(was, is):
		return nil, fmt.Errorf("it would be %s with codec %s, and is %s", codecs.Printable(string(is), 200), to.Name(), codecs.Printable(string(was), 200))
	}
	return fresh, nil
}

// writes reports whether a codec writes a value in these bytes.
func writes(c codecs.Codec, v any, payload []byte) bool {
	again, err := c.Encode(v)
	return err == nil && bytes.Equal(again, payload)
}
