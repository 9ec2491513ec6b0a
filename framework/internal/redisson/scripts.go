package redisson

// Scripts returns the scripts through which messages pass, for tests that break them on
// purpose.
func Scripts() []*Script {
	return []*Script{offerScript, transferScript, redriveScript}
}
