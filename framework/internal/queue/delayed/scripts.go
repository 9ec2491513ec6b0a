package delayed

import "github.com/duequeue/duequeue/framework/internal/script"

// OfferScripts returns the scripts of those who only offer: offers of every kind,
// cancelling and rescheduling, and looking at what is there.
func OfferScripts() []*script.Script {
	return []*script.Script{
		offerScript, pushScript, cancelScript, rescheduleScript, countsScript, getScript,
		pageScript, readyPageScript, lettersScript, sampleScript, partitionsScript, keyTakenScript, expiryScript,
	}
}

// ServeScripts returns what those need besides who handle messages or transfer them.
func ServeScripts() []*script.Script {
	return []*script.Script{trimDeadScript, exactScript, offScript}
}

// OperateScripts returns what those need besides who mend queues.
func OperateScripts() []*script.Script {
	return []*script.Script{
		redriveScript, ghostsScript, listPageScript, pollPendingScript, clearScript, clearedScript, clearReadyScript,
		removeReadyScript, forgetRecordsScript, forgetEntriesScript, forgetQueueScript,
		walkScripts[overList], walkScripts[overSet], moveClaimScript, movePutScript, moveSettleScript,
	}
}
