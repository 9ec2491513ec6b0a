package kryo5

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"

	"github.com/duequeue/duequeue/codecs"
)

// collection writes the elements of a list, set or queue.
func (e *encoder) collection(c *class, elements []any) error {
	if err := e.enter(); err != nil {
		return err
	}
	defer func() { e.depth-- }()
	n := len(elements)
	switch {
	case n >= math.MaxInt32:
		return tooLong(c)
	case c.zeroWidth && n != 0 || c.fixed == 1 && n != 1:
		return &codecs.EncodeError{Codec: name, Reason: fmt.Sprintf("a %s cannot have %d elements", c.name, n)}
	case c.zeroWidth:
		return nil
	case c.fixed == 1:
		return e.elements(elements)
	case n == 0:
		e.out = append(e.out, 1)
		e.comparator(c)
		return nil
	}
	return e.several(c, elements)
}

func (e *encoder) comparator(c *class) {
	if c.sorted {
		e.out = append(e.out, 0)
	}
}

// survey is what the header of a collection says about its elements.
type survey struct {
	common *class // class of all elements that are not null; nil when all are
	mixed  bool
	nulls  bool
}

func (e *encoder) several(c *class, elements []any) error {
	elements, s, err := e.survey(elements)
	if err == nil {
		err = s.check(c)
	}
	if err == nil && c.distinct {
		err = checkDistinct(c, len(elements), func(i int) any { return elements[i] })
	}
	if err != nil {
		return err
	}
	e.out = appendFlagged(e.out, uint32(len(elements))+1, !s.mixed)
	e.comparator(c)
	if s.mixed {
		return e.elements(elements)
	}
	e.class(s.common)
	if s.common == nil {
		return nil
	}
	if !c.immutable {
		e.out = append(e.out, flagByte(s.nulls))
	}
	for i, v := range elements {
		if s.nulls {
			err = e.bodyOrNull(s.common, v)
		} else {
			err = e.body(s.common, v)
		}
		if err != nil {
			return underEncode("["+strconv.Itoa(i)+"]", err)
		}
	}
	return nil
}

// survey looks at all elements and returns them as values that body writes.
func (e *encoder) survey(elements []any) ([]any, survey, error) {
	var s survey
	own := false
	for i, v := range elements {
		c, resolved, err := e.resolve(v)
		if err != nil {
			return nil, s, underEncode("["+strconv.Itoa(i)+"]", err)
		}
		if changed(v, resolved) {
			if !own {
				elements, own = slices.Clone(elements), true
			}
			elements[i] = resolved
		}
		switch {
		case c == nil:
			s.nulls = true
		case s.common == nil:
			s.common = c
		case s.common != c:
			s.mixed = true
		}
	}
	return elements, s, nil
}

// changed reports whether resolve made another value; types suffice, since it
// never changes a value within its type.
func changed(v, resolved any) bool { return reflect.TypeOf(v) != reflect.TypeOf(resolved) }

// check refuses what Java would fail to read.
func (s survey) check(c *class) error {
	switch {
	case s.nulls && c.noNull:
		return &codecs.EncodeError{Codec: name, Reason: "a " + c.name + " cannot hold null"}
	case c.natural && (s.mixed || !s.common.comparable()):
		return &codecs.EncodeError{Codec: name, Reason: "a " + c.name + " needs elements of one class that Java can compare"}
	}
	return nil
}

// comparable reports whether the class has a natural order.
func (c *class) comparable() bool {
	return c != nil && !c.list && !c.mapping && c.name != "[B"
}

// elements writes each with its class.
func (e *encoder) elements(elements []any) error {
	for i, v := range elements {
		if err := e.value(v); err != nil {
			return underEncode("["+strconv.Itoa(i)+"]", err)
		}
	}
	return nil
}
