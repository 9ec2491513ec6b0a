package deadstore

import "testing"

// What is added while others are told of is not forgotten untold.
func TestClearTellsOfEach(t *testing.T) {
	t.Parallel()
	var found Undecodable
	told := 0
	found.Add(1, "a", func() {
		found.Add(2, "b", func() { told++ })
		told++
	})
	found.Clear()
	found.Clear()
	if told != 2 {
		t.Fatalf("%d of 2 were told of", told)
	}
}

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
