package fst

import (
	"slices"
	"testing"
)

func TestVersions(t *testing.T) {
	t.Parallel()
	for v, want := range map[string]int{ // id of float[], 0: refused
		"2.57": 44, "2.56": 44, "2.45": 44, "2.44": 44, "2.31": 44, "3.0.4-jdk17": 45, "3.0": 45, "3.0.3": 45,
		"2.30": 0, "2.29": 0, "1.63": 0, "2.58": 0, "3.1": 0, "4.0": 0, "": 0, "x.y": 0, "2": 0, "-1.50": 0,
	} {
		g, err := parseVersion(v)
		if want == 0 {
			if err == nil {
				t.Errorf("%q accepted", v)
			}
			continue
		}
		names := registry(g, nil)
		if err != nil || slices.Index(names, "[F")+firstID != want {
			t.Errorf("%q: float[] is %d, want %d; %v", v, slices.Index(names, "[F")+firstID, want, err)
		}
	}
}

func TestRegistryEnds(t *testing.T) {
	t.Parallel()
	for g, want := range map[generation]int{before245: 48, standard: 50, three: 51} {
		names := registry(g, []string{"a.B", "java.util.HashMap", "[La.C;", "a.B"})
		user := names[want-firstID:]
		if !slices.Equal(user, []string{"a.B", "[La.B;", "[Ljava.util.HashMap;", "[La.C;"}) {
			t.Errorf("generation %d: from id %d on %v", g, want, user)
		}
	}
}
