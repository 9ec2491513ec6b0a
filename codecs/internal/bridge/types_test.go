package bridge_test

// The demo classes of these tests.
type (
	color  string
	level  int8
	entity struct {
		ID int64 `java:"id"`
	}
	order struct {
		entity
		ID string `java:"id"`
	}
	page[T any] struct {
		Rows []T `java:"rows,java.util.List<? extends E>"`
		Next *page[T]
	}
	tree[T any] struct {
		Left  *tree[T]
		Value T `java:"v,T"`
	}
	bag[T any]    []T
	index[V any]  map[string]V
	arrays[T any] struct {
		Array []T   `java:"array,T[]"`
		Grid  [][]T `java:"grid,java.util.List<T[]>"`
	}
	maybe[T any] struct {
		Value *T `java:"value,java.util.Optional<? extends T>"`
	}
	stringSet   []string
	bareList    []string
	promoted    struct{ entity }
	notEnum     string
	classedFunc func()
)

func (color) JavaClass() string   { return "enum demo.Color {RED, GREEN}" }
func (level) JavaClass() string   { return "enum demo.Level {LOW{demo.Level$1}, HIGH}" }
func (entity) JavaClass() string  { return "demo.Entity serial 7" }
func (order) JavaClass() string   { return "demo.Order" }
func (page[T]) JavaClass() string { return "demo.Page<E>" }
func (tree[T]) JavaClass() string { return "demo.Tree<T>" }
func (bag[T]) JavaClass() string  { return "demo.Bag<E> extends java.util.ArrayList<E>" }
func (index[V]) JavaClass() string {
	return "demo.Index<V> extends java.util.TreeMap<java.lang.String,V>"
}
func (arrays[T]) JavaClass() string { return "demo.Arrays<T>" }
func (maybe[T]) JavaClass() string  { return "demo.Maybe<T>" }
func (stringSet) JavaClass() string {
	return "demo.Strings extends java.util.HashSet<java.lang.String>"
}
func (bareList) JavaClass() string    { return "demo.Bare" }
func (notEnum) JavaClass() string     { return "demo.NotEnum" }
func (classedFunc) JavaClass() string { return "demo.Func" }
