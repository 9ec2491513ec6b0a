package javadesc_test

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/javadesc"
)

// TestNothingToDescribe: a class of which no Go type comes is an error that says what to
// do with it, not an empty package.
func TestNothingToDescribe(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	dir := filepath.Join(root, "com", "shop")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string][2]string{
		"Cart":    {"java/lang/Object", "java/util/List"},
		"Prices":  {"java/lang/Object", "java/util/Map"},
		"Failure": {"java/lang/RuntimeException", "java/io/Serializable"},
	} {
		file := classFile("com/shop/"+name, c[0], c[1])
		if err := os.WriteFile(filepath.Join(dir, name+".class"), file, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	source := open(t, root)
	for _, c := range []struct {
		name  string
		names []string
		wants []string
	}{
		{"list", []string{"com.shop.Cart"}, []string{`kryo5.Container("com.shop.Cart", "java.util.ArrayList")`}},
		{"map", []string{"com.shop.Prices"}, []string{`kryo5.Container("com.shop.Prices", "java.util.HashMap")`}},
		{"exception", []string{"com.shop.Failure"}, []string{"com.shop.Failure is an exception"}},
		{"all", []string{"com.shop.Cart", "com.shop.Failure"}, []string{"com.shop.Cart", "com.shop.Failure"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			src, err := javadesc.Generate(source, javadesc.Options{}, c.names...)
			if err == nil {
				t.Fatalf("no error, and the source\n%s", src)
			}
			for _, want := range c.wants {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error %v, want one that says %q", err, want)
				}
			}
		})
	}
}

// classFile is a class without members, as a compiler leaves it.
func classFile(name, super, implements string) []byte {
	u16 := binary.BigEndian.AppendUint16
	out := []byte{0xCA, 0xFE, 0xBA, 0xBE, 0, 0, 0, 52}
	out = u16(out, 7) // constants and one
	for i, text := range []string{name, super, implements} {
		out = append(u16(append(out, 1), uint16(len(text))), text...)
		out = u16(append(out, 7), uint16(1+2*i))
	}
	for _, n := range []uint16{0x21, 2, 4, 1, 6, 0, 0, 0} { // access, this, super, interfaces, fields, methods, attributes
		out = u16(out, n)
	}
	return out
}
