package jackson

import "bytes"

// survey walks over the whole payload once and notes what cannot be seen at the
// head of a value: where a "@class" stands that is not its object's first key,
// and which arrays have exactly two elements, the first a string. One walk
// keeps reading linear however the payload nests.
func (r *reader) survey() error {
	if r.surveyed {
		return nil
	}
	r.surveyed, r.classAt, r.pairAt = true, map[int]int{}, map[int]bool{}
	w := &walker{lexer: lexer{b: r.b, lim: r.lim, left: r.lim.Elements}, r: r}
	// Wrapper arrays count here, in the reader they do not.
	w.lim.Depth = 2*r.lim.Depth + 2
	if bytes.HasPrefix(r.b, []byte(byteOrderMark)) {
		w.pos = len(byteOrderMark)
	}
	return w.skip()
}

// pair reports whether the array at start has two elements, the first a string.
// At the root it is not asked: the reader sees to it that nothing more follows.
func (r *reader) pair(start int) bool {
	if r.nest == 0 {
		return true
	}
	return r.survey() == nil && r.pairAt[start]
}

type walker struct {
	lexer
	r *reader
}

func (w *walker) skip() error {
	switch c := w.space(); {
	case c == '"':
		return w.skipText()
	case c == '{':
		return w.skipObject()
	case c == '[':
		return w.skipArray()
	case c == '-' || c >= '0' && c <= '9':
		_, _, err := w.number()
		return err
	default:
		_, err := w.literal()
		return err
	}
}

func (w *walker) skipText() error {
	end, _, err := w.span()
	w.pos = end + 1
	return err
}

func (w *walker) skipObject() error {
	start, found := w.pos, false
	if err := w.enter(); err != nil {
		return err
	}
	for first := true; ; first = false {
		more, err := w.more('}', first)
		if err != nil {
			return err
		}
		if !more {
			w.leave()
			return nil
		}
		if w.space() != '"' {
			return w.unexpected("a key in quotes")
		}
		at := w.pos
		key, err := w.text()
		if err != nil {
			return err
		}
		if !found && key == classKey {
			found, w.r.classAt[start] = true, at
		}
		if err := w.expect(':', "after a key"); err != nil {
			return err
		}
		if err := w.skip(); err != nil {
			return err
		}
	}
}

func (w *walker) skipArray() error {
	start, n, text := w.pos, 0, false
	if err := w.enter(); err != nil {
		return err
	}
	for {
		more, err := w.more(']', n == 0)
		if err != nil {
			return err
		}
		if !more {
			break
		}
		if n++; n == 1 {
			text = w.space() == '"'
		}
		if err := w.skip(); err != nil {
			return err
		}
	}
	if n == 2 && text {
		w.r.pairAt[start] = true
	}
	w.leave()
	return nil
}
