package main

import "time"

// plan says how much is measured.
type plan struct {
	name   string
	rounds int // of consumption

	// Messages per measurement, by how fast they go.
	single, batch, bulk int

	lateRounds  int
	lateSeconds map[int]int // rate → how long

	offerRounds, offers int

	idle time.Duration

	patience time.Duration // how long to wait for a quiet machine, all in all

	burst, burstBig                             int // messages due together; the jar's part with many is estimated
	burstRounds, burstBigRounds, burstJarRounds int

	steady, steadySeconds, steadyRounds int // messages pending, of which some fall due each second

	pending       []int // messages pending, ascending
	pendingRounds int

	crowd       int           // messages of a rush on several processes
	crowdSteady time.Duration // how long messages fall due steadily
	crowdRounds int

	bulkOffers, bulkRounds int

	cancelAmong, cancelCalls, cancelRounds int

	peerMessages, peerRounds int // due together, of each peer

	spreadMessages, spreadSeconds, spreadRounds int
	callerOffers, callerRounds                  int // offers of one caller; many have more

	mixedWarm, mixedFor time.Duration

	curve       []curvePoint  // fleets
	curveWindow time.Duration // of each measurement of one
}

// rates of messages falling due, per second.
var rates = []int{10, 500, 2000}

var fullPlan = plan{
	name: "full", rounds: 5, single: 15_000, batch: 100_000, bulk: 300_000,
	lateRounds: 3, lateSeconds: map[int]int{10: 8, 500: 4, 2000: 4},
	offerRounds: 5, offers: 5_000, idle: 30 * time.Second, patience: time.Minute,
	burst: 100_000, burstBig: 500_000, burstRounds: 3, burstBigRounds: 1, burstJarRounds: 1,
	steady: 500_000, steadySeconds: 20, steadyRounds: 2,
	pending: []int{10_000, 100_000, 500_000, 1_000_000}, pendingRounds: 3,
	crowd: 100_000, crowdSteady: 4 * time.Second, crowdRounds: 3,
	bulkOffers: 200_000, bulkRounds: 3,
	cancelAmong: 1_000_000, cancelCalls: 500, cancelRounds: 3,
	peerMessages: 20_000, peerRounds: 3,
	spreadMessages: 100_000, spreadSeconds: 5, spreadRounds: 5,
	callerOffers: 20_000, callerRounds: 3,
	mixedWarm: 15 * time.Second, mixedFor: time.Minute,
	curve: []curvePoint{
		{1, 10}, {1, 50}, {10, 10}, {10, 50}, {30, 10}, {30, 50}, {100, 10}, {100, 50}, {300, 10}, {300, 50},
	}, curveWindow: 10 * time.Second,
}

var quickPlan = plan{
	name: "quick", rounds: 1, single: 10_000, batch: 60_000, bulk: 150_000,
	lateRounds: 1, lateSeconds: map[int]int{10: 5, 500: 2, 2000: 2},
	offerRounds: 2, offers: 3_000, idle: 10 * time.Second, patience: 5 * time.Second,
	burst: 10_000, burstRounds: 1, burstJarRounds: 1,
	steady: 50_000, steadySeconds: 5, steadyRounds: 1,
	pending: []int{10_000, 50_000}, pendingRounds: 1,
	crowd: 10_000, crowdSteady: time.Second, crowdRounds: 1,
	bulkOffers: 50_000, bulkRounds: 1,
	cancelAmong: 50_000, cancelCalls: 100, cancelRounds: 1,
	peerMessages: 5_000, peerRounds: 1,
	spreadMessages: 30_000, spreadSeconds: 3, spreadRounds: 1,
	callerOffers: 10_000, callerRounds: 2,
	mixedWarm: 5 * time.Second, mixedFor: 15 * time.Second,
	curve: []curvePoint{{1, 10}, {30, 10}, {100, 10}}, curveWindow: 5 * time.Second,
}

// payloadBytes is the size of the string payloads, and about that of the maps.
const payloadBytes = 200

// captured is how many messages of Redisson's a part needs.
func (p plan) captured(part string) int {
	switch part {
	case "burst":
		return max(p.burst, p.burstBig)
	case "overdue":
		return p.burst
	case "pending":
		return p.pending[len(p.pending)-1]
	case "steady":
		return p.steady
	case "processes":
		return p.crowd
	case "cancel":
		return p.cancelAmong
	}
	return 0
}
