package trouble

import "log/slog"

// commonLines are what the log says of each queue though it befalls all at once: Redis does
// not answer, or does again.
var commonLines = []string{
	"cannot take messages; tried again until it works",
	"takes messages again",
	"could not renew the lease; tried again until it works",
	"the lease is renewed again",
	"lease not renewed for two thirds of its time: nothing is taken, running handlers are cancelled",
	"the lease is confirmed again: messages are taken",
	"lease lost: running handlers are cancelled, their messages go to other processes",
	"could not compare what is in flight; tried again until it works",
	"what is in flight is compared again",
	"cannot move due messages: retrying until it works",
	"moving due messages again",
	"could not look for ended sessions; tried again until it works",
	"ended sessions are looked for again",
}

// OwnLines is up to how many queues each of them has lines of its own.
const OwnLines = 16

// LogFor returns the logger of an engine with so many queues: beyond [OwnLines] what befalls
// all of them at once is folded.
func LogFor(log *slog.Logger, queues int) *slog.Logger {
	if queues <= OwnLines {
		return log
	}
	return Fold(log, commonLines...)
}
