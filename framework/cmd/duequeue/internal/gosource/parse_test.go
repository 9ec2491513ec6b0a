package gosource_test

import (
	"testing"

	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/gosource"
)

// TestOddSource reads what no compiler takes: there is an end, and no panic.
func TestOddSource(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"embeds itself":       `type A struct{ B }; type B struct{ A }; func (A) JavaClass() string { return "a.A" }`,
		"grows":               `type T[P any] struct{ X T[[]P] }; func (T[P]) JavaClass() string { return "a.T<P>" }`,
		"alias to itself":     `type A = B; type B = A; type C struct{ X A }; func (C) JavaClass() string { return "a.C" }`,
		"pointer to pointer":  `type C struct{ X **int }; func (C) JavaClass() string { return "a.C" }`,
		"map of itself":       `type M map[string]M; type C struct{ X M }; func (C) JavaClass() string { return "a.C" }`,
		"two methods":         `type C struct{}; func (C) JavaClass() string { return "a.C" }; func (*C) JavaClass() string { return "a.D" }`,
		"no type":             `func (C) JavaClass() string { return "a.C" }`,
		"bad declaration":     `type C struct{}; func (C) JavaClass() string { return "a b c" }`,
		"interface":           `type C interface{ Error() string }; func (C) JavaClass() string { return "a.C" }`,
		"enum without values": `type C int; func (C) JavaClass() string { return "a.C" }`,
		"list of nothing":     `type C []string; func (C) JavaClass() string { return "a.C" }`,
		"two superclasses":    `type A struct{}; func (A) JavaClass() string { return "a.A" }; type B struct{}; func (B) JavaClass() string { return "a.B" }; type C struct{ A; B }; func (C) JavaClass() string { return "a.C" }`,
		"promoted":            `type A struct{}; func (A) JavaClass() string { return "a.A" }; type C struct{ A }`,
		"constant of package": `import "x/y"; type C struct{}; func (C) JavaClass() string { return y.Name }`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := gosource.Parse("a.go", []byte("package a\n"+body))
			if err != nil {
				t.Fatal(err)
			}
			wrong := 0
			for _, typ := range p.Types() {
				if typ.Err != nil {
					wrong++
				}
			}
			if fine := map[string]bool{"embeds itself": true, "grows": true, "two methods": true, "no type": true}; wrong == 0 && !fine[name] {
				t.Error("nothing is wrong with it")
			}
		})
	}
}
