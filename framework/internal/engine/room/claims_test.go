package room

import (
	"testing"

	"pgregory.net/rapid"
)

// Takers that share a pool never claim more than its room, and whoever waits is woken in
// turn while there is some.
func TestClaims(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		size := rapid.IntRange(1, 6).Draw(rt, "workers")
		p := New(size, 0)
		takers := make([]*Claim, rapid.IntRange(1, 4).Draw(rt, "takers"))
		woken := map[int]bool{}
		for i := range takers {
			takers[i] = &Claim{Wake: func() { woken[i] = true }}
		}
		busy := 0
		claims := make([]int, len(takers))
		for range rapid.IntRange(1, 40).Draw(rt, "steps") {
			i := rapid.IntRange(0, len(takers)-1).Draw(rt, "taker")
			own := takers[i]
			switch rapid.SampledFrom([]string{"claim", "fill", "slow", "leave", "wait"}).Draw(rt, "what") {
			case "claim":
				if claims[i] > 0 {
					break
				}
				claims[i] = p.Claim(own, rapid.IntRange(1, 8).Draw(rt, "n"))
			case "fill":
				n := rapid.IntRange(0, claims[i]).Draw(rt, "got")
				p.Fill(own, n)
				busy, claims[i] = busy+n, 0
			case "slow": // the fetch takes long
				p.Keep(own, 0)
				claims[i] = 0
			case "leave":
				if busy > 0 {
					p.Leave()
					busy--
				}
			case "wait":
				if p.Free() <= 0 {
					p.Await(own)
				}
			}
			total := busy
			for _, n := range claims {
				total += n
			}
			if free := p.Free(); free != size-total || free < 0 {
				rt.Fatalf("%d free of %d, %d are taken or claimed", free, size, total)
			}
			if p.Free() > 0 && len(p.waiting) == len(takers) {
				rt.Fatal("there is room, all wait, and nobody was woken")
			}
			if len(p.waiting) > 0 && p.Free() > 0 && len(woken) == 0 {
				rt.Fatal("somebody waits, there is room, and nobody was woken")
			}
		}
	})
}
