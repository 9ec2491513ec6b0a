package registry

import (
	"cmp"
	"slices"
)

// Set is a list of queues that were validated together: no code and no key
// twice. It is immutable, sorted by code, and safe for concurrent use. The zero
// value is empty.
type Set struct {
	all    []Descriptor
	byCode map[string]Descriptor
}

// New validates queues as [Validate] does and returns them as a set. On error
// the set is nil.
func New(ds ...Descriptor) (*Set, error) {
	if err := Validate(ds...); err != nil {
		return nil, err
	}
	s := &Set{all: slices.Clone(ds), byCode: make(map[string]Descriptor, len(ds))}
	slices.SortFunc(s.all, func(a, b Descriptor) int { return cmp.Compare(a.Code(), b.Code()) })
	for _, d := range s.all {
		s.byCode[d.Code()] = d
	}
	return s, nil
}

// Get returns the queue with the given code, and whether there is one.
func (s *Set) Get(code string) (Descriptor, bool) {
	d, ok := s.byCode[code]
	return d, ok
}

// All returns the queues, sorted by code. The slice is the caller's.
func (s *Set) All() []Descriptor { return slices.Clone(s.all) }

// Codes returns the codes, sorted. The slice is the caller's.
func (s *Set) Codes() []string {
	codes := make([]string, len(s.all))
	for i, d := range s.all {
		codes[i] = d.Code()
	}
	return codes
}

// Len returns the number of queues.
func (s *Set) Len() int { return len(s.all) }
