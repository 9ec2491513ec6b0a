package deadstore

import "testing"

func TestUndecodableComeBackInTheOrderOfTheQueue(t *testing.T) {
	t.Parallel()
	var found Undecodable
	found.Add(3, "c", nil)
	found.Add(2, "", nil)
	found.Add(1, "a", nil)
	found.Add(2, "b", nil)
	if got, _ := found.Take(); len(got) != 3 || got[0] != "a" || got[1] != "b" || got[2] != "c" {
		t.Fatal(got)
	}
	if got, _ := found.Take(); len(got) != 0 {
		t.Fatal(got)
	}
}
