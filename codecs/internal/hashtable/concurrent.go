package hashtable

import "slices"

// ConcurrentOrder is [Order] of java.util.concurrent.ConcurrentHashMap.
func ConcurrentOrder(hash []int32) []int {
	t := concurrentTable{hash: hash, bins: make([]concurrentBin, Initial)}
	for i := range hash {
		t.put(i)
	}
	order := make([]int, 0, len(hash))
	for _, b := range t.bins {
		order = append(order, b.nodes...)
	}
	return order
}

// concurrentTable is java.util.concurrent.ConcurrentHashMap's table over the nodes
// 0…n-1. Unlike HashMap's, its trees leave the order of a bin alone.
type concurrentTable struct {
	hash []int32
	bins []concurrentBin
	size int
}

type concurrentBin struct {
	nodes []int
	tree  bool
}

func (t *concurrentTable) put(n int) {
	b := &t.bins[int(t.hash[n])&(len(t.bins)-1)]
	if b.tree {
		b.nodes = slices.Insert(b.nodes, 0, n)
	} else {
		b.nodes = append(b.nodes, n)
		if len(b.nodes) > TreeifyThreshold {
			if len(t.bins) >= MinTreeTable {
				b.tree = true
			} else {
				t.presize(2 * len(t.bins))
			}
		}
	}
	t.size++
	for t.size >= t.limit() {
		t.transfer()
	}
}

// limit is sizeCtl: the size from which on the table grows.
func (t *concurrentTable) limit() int { return len(t.bins) - len(t.bins)/4 }

// presize is tryPresize, which grows further than it is asked to.
func (t *concurrentTable) presize(size int) {
	capacity := 1
	for capacity < size+size/2+1 {
		capacity *= 2
	}
	for capacity > t.limit() {
		t.transfer()
	}
}

// transfer doubles the table. The nodes before the last run of a bin that stays
// together are put in front one by one, which reverses them.
func (t *concurrentTable) transfer() {
	old := t.bins
	t.bins = make([]concurrentBin, 2*len(old))
	for i, b := range old {
		if len(b.nodes) == 0 {
			continue
		}
		low, high := t.split(b, len(old))
		t.bins[i], t.bins[i+len(old)] = low, high
	}
}

func (t *concurrentTable) split(b concurrentBin, bit int) (low, high concurrentBin) {
	isHigh := func(n int) bool { return int(t.hash[n])&bit != 0 }
	if b.tree {
		for _, n := range b.nodes {
			if isHigh(n) {
				high.nodes = append(high.nodes, n)
			} else {
				low.nodes = append(low.nodes, n)
			}
		}
		low.tree, high.tree = len(low.nodes) > UntreeifyMax, len(high.nodes) > UntreeifyMax
		return low, high
	}
	run := len(b.nodes) - 1
	for run > 0 && isHigh(b.nodes[run-1]) == isHigh(b.nodes[len(b.nodes)-1]) {
		run--
	}
	for _, n := range slices.Backward(b.nodes[:run]) {
		if isHigh(n) {
			high.nodes = append(high.nodes, n)
		} else {
			low.nodes = append(low.nodes, n)
		}
	}
	if isHigh(b.nodes[run]) {
		high.nodes = append(high.nodes, b.nodes[run:]...)
	} else {
		low.nodes = append(low.nodes, b.nodes[run:]...)
	}
	return low, high
}

// LegacyOrder is [Order] of java.util.Hashtable, which takes hash codes as they are, begins
// with eleven buckets, puts new nodes in front and iterates from the last bucket down.
func LegacyOrder(hashes []int32) []int {
	buckets := make([][]int, 11) // newest node last
	bucket := func(n int) *[]int { return &buckets[int(hashes[n]&0x7fffffff)%len(buckets)] }
	for n := range hashes {
		if n >= len(buckets)*3/4 {
			old := buckets
			buckets = make([][]int, 2*len(old)+1)
			for _, nodes := range slices.Backward(old) {
				for _, moved := range slices.Backward(nodes) {
					b := bucket(moved)
					*b = append(*b, moved)
				}
			}
		}
		b := bucket(n)
		*b = append(*b, n)
	}
	order := make([]int, 0, len(hashes))
	for _, nodes := range slices.Backward(buckets) {
		for _, n := range slices.Backward(nodes) {
			order = append(order, n)
		}
	}
	return order
}
