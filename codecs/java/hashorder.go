package java

import (
	"fmt"
	"slices"
)

// UnhashableError says that a key's Java hash code cannot be known outside the
// JVM, so that the order of a HashMap holding it cannot be simulated.
type UnhashableError struct {
	Key any
}

// Error names the kind of the key and the way out.
func (e *UnhashableError) Error() string {
	return fmt.Sprintf("a %T has no hash code outside the JVM: use a *java.Map with its entries in order", e.Key)
}

// HashOrder returns the order in which Java's new HashMap(), filled with keys
// in ascending order (see [CompareKeys]), iterates them. Keys must be distinct.
// The slice given is left as it is. The error is an [*UnhashableError].
//
// The simulation keeps the table's growth, the order within a bucket and the
// red-black trees that replace a bucket of more than eight keys: those reorder
// it, since Java moves each new root to the front. The same order holds for
// HashSet, and for maps built by put in that order only: new HashMap(otherMap)
// sizes its table at once, which shows when buckets become trees.
func HashOrder(keys []any) ([]any, error) {
	sorted := slices.Clone(keys)
	slices.SortFunc(sorted, CompareKeys)
	return InsertionHashOrder(sorted)
}

// InsertionHashOrder is [HashOrder] for keys that are put in the order given.
func InsertionHashOrder(keys []any) ([]any, error) {
	order, err := insertionOrder(keys)
	if err != nil {
		return nil, err
	}
	out := make([]any, 0, len(keys))
	for _, i := range order {
		out = append(out, keys[i])
	}
	return out, nil
}

// insertionOrder returns the indices of keys in iteration order.
func insertionOrder(keys []any) ([]int, error) {
	hashes := make([]int32, len(keys))
	for i, k := range keys {
		h, ok := HashCode(k)
		if !ok {
			return nil, &UnhashableError{Key: k}
		}
		hashes[i] = spread(h)
	}
	return iterationOrder(hashes, func(a, b int) int { return treeCompare(keys[a], keys[b]) }), nil
}

// HashOrderStrings is [HashOrder] for string keys, in place.
func HashOrderStrings(keys []string) {
	slices.Sort(keys)
	if len(keys) <= treeifyThreshold {
		orderFew(keys)
		return
	}
	hashes := make([]int32, len(keys))
	for i, k := range keys {
		hashes[i] = spread(StringHash(k))
	}
	order := iterationOrder(hashes, func(a, b int) int { return utf16Compare(keys[a], keys[b]) })
	out := make([]string, 0, len(keys))
	for _, i := range order {
		out = append(out, keys[i])
	}
	copy(keys, out)
}

// orderFew sorts at most eight keys by their bucket in Java's first table of
// sixteen, which neither grows nor makes trees for so few. It allocates nothing.
func orderFew(keys []string) {
	var buckets [treeifyThreshold]int32
	for i, k := range keys {
		b := spread(StringHash(k)) & (initialTable - 1)
		j := i
		for ; j > 0 && buckets[j-1] > b; j-- {
			buckets[j], keys[j] = buckets[j-1], keys[j-1]
		}
		buckets[j], keys[j] = b, k
	}
}

// treeCompare orders keys of equal hash within a tree: compareTo for one
// class, the class names for two.
func treeCompare(a, b any) int {
	if s, ok := a.(string); ok {
		if t, ok := b.(string); ok {
			return utf16Compare(s, t)
		}
	}
	return CompareKeys(a, b)
}

// Constants of java.util.HashMap.
const (
	initialTable     = 16
	treeifyThreshold = 8
	untreeifyMax     = 6
	minTreeTable     = 64
)

// hashTable is java.util.HashMap's table over the nodes 0…n-1, with -1 for
// "none". It exists for its size and its order of iteration.
type hashTable struct {
	hash    []int32
	compare func(a, b int) int
	head    []int // first node of each bucket
	tree    []bool
	next    []int
	prev    []int // trees only, as in Java
	nodes   []treeNode
	size    int
}

// iterationOrder puts nodes 0…n-1 with the given spread hashes one after the
// other and returns the order of iteration.
func iterationOrder(hash []int32, compare func(a, b int) int) []int {
	t := fill(hash, compare)
	order := make([]int, 0, len(hash))
	for _, h := range t.head {
		for n := h; n >= 0; n = t.next[n] {
			order = append(order, n)
		}
	}
	return order
}

// fill returns a new table to which nodes 0…n-1 were added.
func fill(hash []int32, compare func(a, b int) int) *hashTable {
	t := &hashTable{hash: hash, compare: compare, next: make([]int, len(hash))}
	t.allocate(initialTable)
	for i := range hash {
		t.put(i)
	}
	return t
}

func (t *hashTable) allocate(n int) {
	t.head = make([]int, n)
	t.tree = make([]bool, n)
	for i := range t.head {
		t.head[i] = -1
	}
}

func (t *hashTable) bucket(n int) int { return int(t.hash[n]) & (len(t.head) - 1) }

func (t *hashTable) put(n int) {
	b := t.bucket(n)
	t.next[n] = -1
	switch {
	case t.head[b] < 0:
		t.head[b] = n
	case t.tree[b]:
		t.putTree(b, n)
	default:
		last, length := t.head[b], 1
		for t.next[last] >= 0 {
			last = t.next[last]
			length++
		}
		t.next[last] = n
		if length >= treeifyThreshold {
			t.treeifyBucket(b)
		}
	}
	t.size++
	if t.size > len(t.head)/4*3 {
		t.grow()
	}
}

// treeifyBucket makes a tree of the bucket, or grows a table that is still small.
func (t *hashTable) treeifyBucket(b int) {
	if len(t.head) < minTreeTable {
		t.grow()
		return
	}
	if t.prev == nil {
		t.prev = make([]int, len(t.hash))
		t.nodes = make([]treeNode, len(t.hash))
	}
	t.linkBack(t.head[b])
	t.buildTree(b)
}

func (t *hashTable) linkBack(head int) {
	prev := -1
	for n := head; n >= 0; n = t.next[n] {
		t.prev[n] = prev
		prev = n
	}
}

// grow doubles the table. Each bucket splits in two that keep their order.
func (t *hashTable) grow() {
	old, wasTree := t.head, t.tree
	t.allocate(2 * len(old))
	for b, head := range old {
		if head >= 0 {
			t.split(b, b+len(old), head, wasTree[b])
		}
	}
}

func (t *hashTable) split(low, high, head int, tree bool) {
	lowCount := t.splitList(low, high, head)
	if !tree {
		return
	}
	total := 0
	for _, h := range []int{t.head[low], t.head[high]} {
		for n := h; n >= 0; n = t.next[n] {
			total++
		}
	}
	t.keepTree(low, lowCount, total)
	t.keepTree(high, total-lowCount, total)
}

// splitList deals the list out by bucket and returns the length of the lower one.
func (t *hashTable) splitList(low, high, head int) int {
	tails := [2]int{-1, -1}
	count := 0
	for n := head; n >= 0; {
		next := t.next[n]
		t.next[n] = -1
		to, half := high, 1
		if t.bucket(n) == low {
			to, half = low, 0
			count++
		}
		if tails[half] < 0 {
			t.head[to] = n
		} else {
			t.next[tails[half]] = n
		}
		tails[half] = n
		n = next
	}
	return count
}

// keepTree treats one half of a split tree: few nodes become a list, all of
// them keep their tree, others build a new one.
func (t *hashTable) keepTree(b, count, total int) {
	if count <= untreeifyMax {
		return
	}
	t.tree[b] = true
	t.linkBack(t.head[b])
	if count < total {
		t.buildTree(b)
	}
}
