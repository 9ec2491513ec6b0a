package bridge

import (
	"reflect"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/memory"
)

const (
	// maxLowerDepth bounds the nesting of Go values.
	maxLowerDepth = 10_000
	// cycleDepth is the nesting from which on cycles are looked for: few values
	// come so deep.
	cycleDepth = 100
	// maxLowered bounds how many values come of one: pointers that share what they
	// point to would otherwise multiply it. A container costs loweredCost of them, a
	// part of it one.
	maxLowered  = 1 << 22
	loweredCost = 8
)

// lowerer turns one Go value into Java values.
type lowerer struct {
	plans *planCache
	depth int
	left  int // values that may still be made
	// shared holds what pointers, maps and slices became, when sharing is kept;
	// nil otherwise.
	shared map[lowerKey]any
	// waiting are pointers whose object is about to be made.
	waiting []lowerKey
	// active holds what is being lowered beyond cycleDepth, without sharing.
	active map[lowerKey]bool
}

// lowerKey says which Go pointer, map or slice it is.
type lowerKey struct {
	at  memory.Place
	len int // of slices
	typ reflect.Type
	as  *node // where a declared type decides what comes of it
}

func (n *node) key(v reflect.Value) lowerKey {
	k := lowerKey{at: memory.To(v), typ: n.Go, as: n.declared}
	if v.Kind() == reflect.Slice {
		k.len = v.Len()
	}
	return k
}

// alike reports that the address of v says nothing: Go gives one address to all
// empty slices, and to all values without size.
func alike(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Slice:
		return v.Len() == 0 || v.Type().Elem().Size() == 0
	case reflect.Pointer:
		return v.Type().Elem().Size() == 0
	default:
		return false
	}
}

func newLowerer(plans *planCache, share bool) *lowerer {
	s := &lowerer{plans: plans, left: maxLowered}
	if share {
		s.shared = map[lowerKey]any{}
	}
	return s
}

// enter begins a pointer, map or slice that is not nil and holds size values. It
// returns what came of it before, when sharing is kept.
func (s *lowerer) enter(n *node, v reflect.Value, size int) (any, error) {
	s.depth++
	s.left -= loweredCost + size
	switch {
	case s.depth > maxLowerDepth:
		return nil, &codecs.EncodeError{Type: n.Go, Reason: "nested too deeply"}
	case s.left < 0:
		return nil, &codecs.EncodeError{Type: n.Go, Reason: "too many values; pointers to one thing count each time"}
	case s.shared != nil:
		if alike(v) {
			return nil, nil
		}
		key := n.key(v)
		if out, ok := s.shared[key]; ok {
			return out, nil
		}
		s.waiting = append(s.waiting, key)
	case s.depth > cycleDepth:
		key := n.key(v)
		if s.active[key] {
			return nil, &codecs.EncodeError{Type: n.Go, Reason: "it contains itself, a cycle, which only formats with references can carry"}
		}
		if s.active == nil {
			s.active = map[lowerKey]bool{}
		}
		s.active[key] = true
	}
	return nil, nil
}

// leave ends what enter began without an error.
func (s *lowerer) leave(n *node, v reflect.Value) {
	if s.active != nil && s.depth > cycleDepth {
		delete(s.active, n.key(v))
	}
	s.waiting = s.waiting[:0]
	s.depth--
}

// made notes the object that comes of the pointers, map or slice entered last,
// before its contents are lowered.
func (s *lowerer) made(out any) {
	for _, key := range s.waiting {
		s.shared[key] = out
	}
	s.waiting = s.waiting[:0]
}
