package serialization

import (
	"bytes"
	"encoding/binary"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/duequeue/duequeue/codecs/internal/serial"
	"github.com/duequeue/duequeue/codecs/java"
)

// Bounds of a cache, so that hostile payloads cannot fill memory with classes
// that do not exist.
const (
	maxCachedNames    = 256
	maxCachedVariants = 16
	maxCachedBytes    = 8 << 10   // of one
	maxCacheBytes     = 256 << 10 // of all
)

// descCache keeps class descriptors by their bytes: payloads of one queue carry
// the same ones again and again. It is safe for concurrent use.
type descCache struct {
	grow   sync.Mutex
	bytes  int // of all descriptors kept; guarded by grow
	byName atomic.Pointer[map[string][]*cachedDesc]
	made   sync.Map // *java.Serial to *serial.Desc, of what is in byName
}

// desc returns the descriptor for one that values carry, or nil.
func (c *descCache) desc(s *java.Serial) *serial.Desc {
	d, _ := c.made.Load(s)
	known, _ := d.(*serial.Desc)
	return known
}

// cachedDesc is one descriptor with its superclasses as it stood in a payload.
type cachedDesc struct {
	raw     []byte // from its tag to the end of its superclass
	base    int    // the table's size before it
	outside []outsideRef
	inside  bool     // it refers to its own handles
	handles []handle // what it adds to the table
	fields  int
	desc    *serial.Desc
}

// outsideRef is a back reference to what stood before the descriptor.
type outsideRef struct {
	at int
	to handle
}

// cachedDesc reads a class descriptor behind its tag.
func (r *reader) cachedDesc(start int) (*serial.Desc, error) {
	if c := r.cache.find(r.In[start:], r.handles); c != nil {
		r.At = start + len(c.raw)
		r.handles = append(r.handles, c.handles...)
		return c.desc, r.charge(c.fields)
	}
	base, annotated, left := len(r.handles), r.annotated, r.Left
	r.noted++
	d, err := r.newDesc(start)
	r.noted--
	if err == nil && annotated == r.annotated && r.At-start <= maxCachedBytes {
		c := &cachedDesc{
			raw: bytes.Clone(r.In[start:r.At]), base: base,
			handles: slices.Clone(r.handles[base:]), fields: left - r.Left, desc: d,
		}
		for _, at := range r.refs {
			if at < base {
				c.outside = append(c.outside, outsideRef{at, r.handles[at]})
			} else {
				c.inside = true
			}
		}
		r.cache.add(c)
	}
	if r.noted == 0 {
		r.refs = r.refs[:0]
	}
	return d, err
}

// find returns the descriptor that in begins with, or nil.
func (c *descCache) find(in []byte, handles []handle) *cachedDesc {
	all := c.byName.Load()
	if all == nil || len(in) < 3 {
		return nil
	}
	n := 3 + int(binary.BigEndian.Uint16(in[1:]))
	if n > len(in) {
		return nil
	}
	for _, v := range (*all)[string(in[3:n])] {
		if bytes.HasPrefix(in, v.raw) && v.fits(handles) {
			return v
		}
	}
	return nil
}

// fits reports whether the back references mean what they meant.
func (v *cachedDesc) fits(handles []handle) bool {
	if (v.inside || len(v.outside) > 0) && v.base != len(handles) {
		return false
	}
	for i := range v.outside {
		now, then := &handles[v.outside[i].at], &v.outside[i].to
		if now.kind != then.kind || now.text != then.text || now.kind == descHandle && now.value != then.value {
			return false
		}
	}
	return true
}

// add keeps a descriptor, if there is room.
func (c *descCache) add(v *cachedDesc) {
	c.grow.Lock()
	defer c.grow.Unlock()
	if c.bytes+len(v.raw) > maxCacheBytes {
		return
	}
	old := c.byName.Load()
	size := 1
	if old != nil {
		size += len(*old)
	}
	all := make(map[string][]*cachedDesc, size)
	if old != nil {
		for class, variants := range *old {
			all[class] = variants
		}
	}
	variants := all[v.desc.Class]
	if len(variants) >= maxCachedVariants || variants == nil && len(all) >= maxCachedNames {
		return
	}
	for _, other := range variants {
		if bytes.Equal(other.raw, v.raw) && other.base == v.base && len(other.outside) == len(v.outside) {
			return // another goroutine was faster
		}
	}
	all[v.desc.Class] = append(slices.Clip(slices.Clone(variants)), v)
	c.byName.Store(&all)
	c.bytes += len(v.raw)
	for d := v.desc; d != nil; d = d.Super {
		c.made.Store(d.Serial, d)
	}
}
