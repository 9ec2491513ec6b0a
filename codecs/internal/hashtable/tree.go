package hashtable

// treeNode is a node of the red-black tree that a crowded bucket becomes.
// Lookup does not matter here: the tree's shape decides where the iteration
// order puts a new node (right behind its parent) and which node stands first
// (the root).
type treeNode struct {
	parent, left, right int
	red                 bool
}

// buildTree is HashMap.TreeNode.treeify: it inserts the bucket's nodes in list
// order and moves the root to the front.
func (t *table) buildTree(b int) {
	t.tree[b] = true
	root := -1
	for n := t.head[b]; n >= 0; n = t.next[n] {
		t.nodes[n] = treeNode{parent: -1, left: -1, right: -1}
		if root < 0 {
			root = n
			continue
		}
		t.attach(root, n)
		root = t.balanceInsertion(root, n)
	}
	t.moveRootToFront(b, root)
}

// putTree is HashMap.TreeNode.putTreeVal for a key that is not there yet.
func (t *table) putTree(b, n int) {
	root := t.head[b]
	for t.nodes[root].parent >= 0 {
		root = t.nodes[root].parent
	}
	t.nodes[n] = treeNode{parent: -1, left: -1, right: -1}
	parent := t.attach(root, n)
	after := t.next[parent]
	t.next[n], t.next[parent], t.prev[n] = after, n, parent
	if after >= 0 {
		t.prev[after] = n
	}
	t.moveRootToFront(b, t.balanceInsertion(root, n))
}

// attach hangs n below a leaf by hash, then by key, and returns the parent.
func (t *table) attach(root, n int) int {
	for p := root; ; {
		dir := 1
		switch {
		case t.hash[p] > t.hash[n]:
			dir = -1
		case t.hash[p] == t.hash[n] && t.compare(n, p) <= 0:
			dir = -1
		}
		parent, child := p, &t.nodes[p].right
		if dir < 0 {
			child = &t.nodes[p].left
		}
		if *child < 0 {
			*child = n
			t.nodes[n].parent = parent
			return parent
		}
		p = *child
	}
}

func (t *table) moveRootToFront(b, root int) {
	first := t.head[b]
	if root == first {
		return
	}
	t.head[b] = root
	before, after := t.prev[root], t.next[root]
	if after >= 0 {
		t.prev[after] = before
	}
	if before >= 0 {
		t.next[before] = after
	}
	if first >= 0 {
		t.prev[first] = root
	}
	t.next[root], t.prev[root] = first, -1
}

// balanceInsertion restores the red-black rules after x was hung in and
// returns the root, step by step as HashMap.TreeNode does.
func (t *table) balanceInsertion(root, x int) int {
	t.nodes[x].red = true
	for {
		xp := t.nodes[x].parent
		if xp < 0 {
			t.nodes[x].red = false
			return x
		}
		xpp := t.nodes[xp].parent
		if !t.nodes[xp].red || xpp < 0 {
			return root
		}
		left := xp == t.nodes[xpp].left
		uncle := t.nodes[xpp].left
		if left {
			uncle = t.nodes[xpp].right
		}
		if uncle >= 0 && t.nodes[uncle].red {
			t.nodes[uncle].red, t.nodes[xp].red, t.nodes[xpp].red = false, false, true
			x = xpp
			continue
		}
		root, x = t.straighten(root, x, xp, left)
	}
}

// straighten does the one or two rotations of an insertion whose uncle is black.
func (t *table) straighten(root, x, xp int, left bool) (newRoot, newX int) {
	inner := t.nodes[xp].left
	if left {
		inner = t.nodes[xp].right
	}
	if x == inner {
		x = xp
		root = t.rotate(root, x, left)
		xp = t.nodes[x].parent
	}
	if xp >= 0 {
		t.nodes[xp].red = false
		if xpp := t.nodes[xp].parent; xpp >= 0 {
			t.nodes[xpp].red = true
			root = t.rotate(root, xpp, !left)
		}
	}
	return root, x
}

// rotate turns the subtree at p to the left or to the right and returns the
// root of the whole tree.
func (t *table) rotate(root, p int, toLeft bool) int {
	up := &t.nodes[p].left
	if toLeft {
		up = &t.nodes[p].right
	}
	r := *up
	if r < 0 {
		return root
	}
	down := &t.nodes[r].right
	if toLeft {
		down = &t.nodes[r].left
	}
	*up = *down
	if *down >= 0 {
		t.nodes[*down].parent = p
	}
	pp := t.nodes[p].parent
	t.nodes[r].parent = pp
	switch {
	case pp < 0:
		root = r
		t.nodes[r].red = false
	case t.nodes[pp].left == p:
		t.nodes[pp].left = r
	default:
		t.nodes[pp].right = r
	}
	*down = p
	t.nodes[p].parent = r
	return root
}
