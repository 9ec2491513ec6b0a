package wire

import (
	"math/bits"
	"strconv"
	"strings"
)

// salts bounds the search for the name of a partition: salts from 0 to 999 come within
// about 30 slots of the one that is wanted.
const salts = 1000

// escapeTag makes a name part of a hash tag, which a brace would end. No two names become
// the same.
var (
	escapeTag   = strings.NewReplacer("%", "%25", "{", "%7B", "}", "%7D")
	unescapeTag = strings.NewReplacer("%25", "%", "%7B", "{", "%7D", "}")
)

// PartitionName returns the name of partition i of the queue that Java calls name, from 0
// to [Slots]-1: a queue of Redisson's own, before any name mapping. Partition 0 is name
// itself. Partition i is "tag:{tag.i.salt}" with the tag of [escapeTag]. Its slot shall be
// that of name plus i with its 14 bits reversed, so that the first n partitions divide the
// slots evenly for any n. Of the salts from 0 to 999 it has the one whose slot is nearest
// to that, around the end of the slots, too; of equally near ones the smallest.
//
// Names depend on name and i alone. They are a contract with Java and with what lies in
// Redis: never change them.
func PartitionName(name string, i int) string {
	if i == 0 {
		return name
	}
	tag := escapeTag.Replace(name)
	start := tag + "." + strconv.Itoa(i) + "."
	want := (Slot(name) + int(bits.Reverse16(uint16(i))>>2)) % Slots
	before := crc(0, start) // the tag alone is hashed
	best, nearest := 0, Slots
	for salt := range salts {
		var digits [4]byte
		slot := int(crc(before, string(strconv.AppendInt(digits[:0], int64(salt), 10)))) % Slots
		if d := distance(slot, want); d < nearest {
			best, nearest = salt, d
		}
	}
	return tag + ":{" + start + strconv.Itoa(best) + "}"
}

// PartitionsPrefix is what the names of all partitions of a queue from 1 on begin with.
func PartitionsPrefix(name string) string {
	tag := escapeTag.Replace(name)
	return tag + ":{" + tag + "."
}

// PartitionedBy returns the queue of which a name is a partition from 1 on, and which one;
// ok is false for other names.
func PartitionedBy(name string) (queue string, i int, ok bool) {
	tag, rest, _ := strings.Cut(name, ":{") // no tag has a brace
	number, found := strings.CutPrefix(rest, tag+".")
	number, _, dotted := strings.Cut(number, ".")
	i, err := strconv.Atoi(number)
	if !found || !dotted || err != nil || i < 1 || i >= Slots {
		return "", 0, false
	}
	queue = unescapeTag.Replace(tag)
	return queue, i, PartitionName(queue, i) == name
}

// distance is how far two slots are apart, by the shorter way around.
func distance(a, b int) int {
	d := (a - b + Slots) % Slots
	return min(d, Slots-d)
}

// PartitionOf returns the partition of n that a key belongs to: the jump hash (Lamping and
// Veach) of the FNV-1a of its bytes. With more partitions a key stays or moves to a new
// one. Java computes the same: never change it.
func PartitionOf(key string, n int) int {
	h := uint64(0xcbf29ce484222325)
	for i := range len(key) {
		h = (h ^ uint64(key[i])) * 0x100000001b3
	}
	b, next := uint64(0), uint64(0)
	for next < uint64(n) {
		b = next
		h = h*2862933555777941757 + 1
		next = (b + 1) << 31 / (h>>33 + 1)
	}
	return int(b)
}
