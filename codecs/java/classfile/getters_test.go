package classfile

import (
	"slices"
	"testing"
)

// TestMangle: the names are those that fastjson 1.2.83, fastjson2 2.0.53 and Jackson 2.21 write.
func TestMangle(t *testing.T) {
	t.Parallel()
	for rest, want := range map[string][3]string{
		"Paid": {"paid", "paid", "paid"}, "URL": {"url", "uRL", "URL"}, "ETag": {"etag", "eTag", "ETag"}, "IsNew": {"isNew", "isNew", "isNew"},
		"IPhone": {"iphone", "iPhone", "IPhone"}, "ABC": {"abc", "aBC", "ABC"}, "D": {"d", "d", "d"},
	} {
		for i, lib := range []Library{Jackson, FastJSON, FastJSON2} {
			if got := lib.mangle(rest); got != want[i] {
				t.Errorf("%s of %s: %s, want %s", lib, rest, got, want[i])
			}
		}
	}
}

// TestArguments: which argument of a constructor is in a local variable.
func TestArguments(t *testing.T) {
	t.Parallel()
	r := &follower{shapes: map[string]shape{}}
	want := []any{Argument(-1), Argument(0), Argument(1), Argument(2), nil, Argument(3), Argument(4), nil}
	if !r.arguments(&Member{Descriptor: "(Ljava/lang/String;IJ[[ID)V"}) || !slices.Equal(r.locals, want) {
		t.Errorf("%v, want %v", r.locals, want)
	}
	for _, bad := range []string{"", "(", "(L", "([", "([L;"} {
		parameters(bad) // which ends
	}
}
