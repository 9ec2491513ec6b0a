package smile

import "hash/maphash"

// table finds texts that were written before. It refers to them in what was written,
// so it keeps no text alive. Its hashes are seeded anew for each process: nobody can
// choose names that make it slow.
type table struct {
	count int      // numbers given, also those that nothing may refer to
	at    []placed // by number
	slots []uint16 // 1 + number, by hash; 0 is free
}

// placed is the place of a text in what was written.
type placed struct{ off, n int }

const minSlots = 128 // a power of two

var seed = maphash.MakeSeed()

// reset empties the table.
func (t *table) reset() {
	if t.count == 0 {
		return
	}
	t.count, t.at, t.slots = 0, t.at[:0], t.slots[:minSlots]
	clear(t.slots)
}

// hash returns the hash of s.
func hash(s string) uint64 { return maphash.String(seed, s) }

// find returns the number of s, whose hash is h, and -1 if it has none.
func (t *table) find(out []byte, s string, h uint64) int {
	if len(t.slots) == 0 {
		return -1
	}
	mask := uint64(len(t.slots) - 1)
	for h &= mask; t.slots[h] != 0; h = (h + 1) & mask {
		i := int(t.slots[h]) - 1
		if p := t.at[i]; p.n == len(s) && string(out[p.off:p.off+p.n]) == s {
			return i
		}
	}
	return -1
}

// add gives the next number to s, whose hash is h and which will stand at off. As in
// Jackson the table begins anew when it is full, and nothing refers to the numbers whose
// low byte is FE or FF: these bytes mean something else to whoever looks for the end of
// a value.
func (t *table) add(out []byte, off int, s string, h uint64) {
	if t.count == maxShared {
		t.reset()
	}
	if 2*t.count >= len(t.slots) {
		t.grow(out)
	}
	if t.count&0xFF < 0xFE {
		t.insert(h, t.count)
	}
	t.at = append(t.at, placed{off, len(s)})
	t.count++
}

// insert puts number i into the first free slot for hash h.
func (t *table) insert(h uint64, i int) {
	mask := uint64(len(t.slots) - 1)
	h &= mask
	for t.slots[h] != 0 {
		h = (h + 1) & mask
	}
	t.slots[h] = uint16(i) + 1
}

// grow doubles the slots.
func (t *table) grow(out []byte) {
	n := max(minSlots, 2*len(t.slots))
	if cap(t.slots) < n {
		t.slots = make([]uint16, n)
	} else {
		t.slots = t.slots[:n]
		clear(t.slots)
	}
	for i, p := range t.at {
		if i&0xFF < 0xFE {
			t.insert(maphash.Bytes(seed, out[p.off:p.off+p.n]), i)
		}
	}
}
