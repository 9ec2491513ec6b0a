package compat_test

import (
	"testing"

	"github.com/duequeue/duequeue/codecs/java/classfile"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/compat"
)

// A class that stays as it is breaks with no codec that names its classes, whatever it holds: these are
// the classes of package classfile, with generics, nested and inner classes, enums with bodies, records.
func TestUnchangedClassesStayTheSame(t *testing.T) {
	t.Parallel()
	const dir = "../../../../../codecs/java/classfile/testdata/classes"
	old, err := classfile.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = old.Close() }()
	j := compat.New(old, old)
	changed, same, err := j.Changed()
	if err != nil || len(changed) > 0 || same == 0 {
		t.Fatalf("%d classes have changed (%v), and %d not: %v", len(changed), changed, same, err)
	}
	for _, name := range old.Names() {
		for _, codec := range []string{"kryo5", "marshalling", "serialization"} {
			f, err := j.Of(name, name, codec)
			if err != nil || f.Verdict.Breaks() || f.Verdict == compat.Default || f.Verdict == compat.Loses {
				t.Errorf("%s %s: %s, %s %v", name, codec, f.Verdict, f.What(), err)
			}
		}
	}
}
