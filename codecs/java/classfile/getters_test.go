package classfile

import "testing"

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
	const descriptor = "(Ljava/lang/String;IJ[[ID)V"
	for local, want := range map[int]int{0: -1, 1: 0, 2: 1, 3: 2, 4: -1, 5: 3, 6: 4, 7: -1} {
		if got := argumentAt(descriptor, local); got != want {
			t.Errorf("local variable %d is argument %d, want %d", local, got, want)
		}
	}
	for _, bad := range []string{"", "(", "(L", "([", "([L;"} {
		parameters(bad) // which ends
	}
}
