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
}

// rates of messages falling due, per second.
var rates = []int{10, 500, 2000}

var fullPlan = plan{
	name: "full", rounds: 5, single: 15_000, batch: 100_000, bulk: 300_000,
	lateRounds: 3, lateSeconds: map[int]int{10: 8, 500: 4, 2000: 4},
	offerRounds: 5, offers: 5_000, idle: 30 * time.Second, patience: time.Minute,
}

var quickPlan = plan{
	name: "quick", rounds: 2, single: 10_000, batch: 60_000, bulk: 150_000,
	lateRounds: 1, lateSeconds: map[int]int{10: 5, 500: 2, 2000: 2},
	offerRounds: 2, offers: 3_000, idle: 10 * time.Second, patience: 5 * time.Second,
}

// payloadBytes is the size of the string payloads, and about that of the maps.
const payloadBytes = 200
