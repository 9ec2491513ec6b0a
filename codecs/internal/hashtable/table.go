// Package hashtable simulates the table of java.util.HashMap: its size, and the order in
// which it is iterated.
package hashtable

// Constants of java.util.HashMap.
const (
	Initial          = 16 // buckets of a new table
	TreeifyThreshold = 8  // keys in one bucket from which on it becomes a tree, or the table grows
	UntreeifyMax     = 6  // keys with which the half of a split tree becomes a list
	MinTreeTable     = 64 // buckets of a table from which on it has trees
)

// table is java.util.HashMap's table over the nodes 0…n-1, with -1 for
// "none". It exists for its size and its order of iteration.
type table struct {
	hash    []int32
	compare func(a, b int) int
	head    []int // first node of each bucket
	tree    []bool
	next    []int
	prev    []int // trees only, as in Java
	nodes   []treeNode
	size    int
}

// Spread is what HashMap makes of a hash code.
func Spread(h int32) int32 { return h ^ int32(uint32(h)>>16) }

// Order puts nodes 0…n-1 with the given spread hashes one after the
// other and returns the order of iteration. Compare orders nodes of one hash.
func Order(hash []int32, compare func(a, b int) int) []int {
	t := fill(hash, compare)
	order := make([]int, 0, len(hash))
	for _, h := range t.head {
		for n := h; n >= 0; n = t.next[n] {
			order = append(order, n)
		}
	}
	return order
}

// Buckets returns the size of a new table to which nodes with those spread hashes were
// added.
func Buckets(hash []int32, compare func(a, b int) int) int32 {
	return int32(len(fill(hash, compare).head))
}

// fill returns a new table to which nodes 0…n-1 were added.
func fill(hash []int32, compare func(a, b int) int) *table {
	t := &table{hash: hash, compare: compare, next: make([]int, len(hash))}
	t.allocate(Initial)
	for i := range hash {
		t.put(i)
	}
	return t
}

func (t *table) allocate(n int) {
	t.head = make([]int, n)
	t.tree = make([]bool, n)
	for i := range t.head {
		t.head[i] = -1
	}
}

func (t *table) bucket(n int) int { return int(t.hash[n]) & (len(t.head) - 1) }

func (t *table) put(n int) {
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
		if length >= TreeifyThreshold {
			t.treeifyBucket(b)
		}
	}
	t.size++
	if t.size > len(t.head)/4*3 {
		t.grow()
	}
}

// treeifyBucket makes a tree of the bucket, or grows a table that is still small.
func (t *table) treeifyBucket(b int) {
	if len(t.head) < MinTreeTable {
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

func (t *table) linkBack(head int) {
	prev := -1
	for n := head; n >= 0; n = t.next[n] {
		t.prev[n] = prev
		prev = n
	}
}

// grow doubles the table. Each bucket splits in two that keep their order.
func (t *table) grow() {
	old, wasTree := t.head, t.tree
	t.allocate(2 * len(old))
	for b, head := range old {
		if head >= 0 {
			t.split(b, b+len(old), head, wasTree[b])
		}
	}
}

func (t *table) split(low, high, head int, tree bool) {
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
func (t *table) splitList(low, high, head int) int {
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
func (t *table) keepTree(b, count, total int) {
	if count <= UntreeifyMax {
		return
	}
	t.tree[b] = true
	t.linkBack(t.head[b])
	if count < total {
		t.buildTree(b)
	}
}
