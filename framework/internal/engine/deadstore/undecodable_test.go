package deadstore

import "testing"

func TestUndecodableComeBackInTheOrderOfTheQueue(t *testing.T) {
	t.Parallel()
	var row Undecodable
	row.Add(3, "c", nil)
	row.Add(2, "", nil)
	row.Add(1, "a", nil)
	row.Add(2, "b", nil)
	if got, _ := row.Take(); len(got) != 3 || got[0] != "a" || got[1] != "b" || got[2] != "c" {
		t.Fatal(got)
	}
	if got, _ := row.Take(); len(got) != 0 {
		t.Fatal(got)
	}
}
