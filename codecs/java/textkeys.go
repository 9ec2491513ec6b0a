package java

import "reflect"

// KeyReader makes of a map's key, which a format carries as text only, a value for
// Go type t. It reports false where it knows none.
type KeyReader func(key string, t reflect.Type) (any, bool)

// AssignKeys is [Plan.Assign] for formats in which all keys of maps are texts: a key
// that does not go into the key type of a Go map is what read makes of it.
func (p *Plan) AssignKeys(v, target any, read KeyReader) error {
	if err := p.ofClass(v); err != nil {
		return err
	}
	return p.assign(&assigner{keys: read}, v, target)
}

// assignKey stores a map's key.
func (s *assigner) assignKey(n *node, k any, dst reflect.Value) error {
	err := s.assign(n, k, dst)
	if err == nil || s.keys == nil {
		return err
	}
	text, ok := k.(string)
	if !ok {
		return err
	}
	if v, ok := s.keys(text, dst.Type()); ok {
		return s.assign(n, v, dst)
	}
	return err
}
