package wire

import (
	"math"
	"strconv"
	"time"
)

// MaxDueMs is the first due time, in ms since 1970, that is refused: from 2^53
// on, a score no longer holds every millisecond.
const MaxDueMs = int64(1) << 53

// ScoreMs turns the text of a score into the first whole ms at which it is due,
// 0 for negative ones and -1 for what is at or beyond 2^53 or no number, as the "" of a
// set that is empty.
func ScoreMs(text string) int64 {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return -1
	}
	return DueMs(f)
}

// DueMs does the same for a score.
func DueMs(score float64) int64 {
	switch {
	case math.IsNaN(score) || score >= float64(MaxDueMs):
		return -1
	case score < 0:
		return 0
	default:
		return int64(math.Ceil(score))
	}
}

// CeilMs returns t in whole ms, rounded up; [MaxDueMs] for what is at or beyond that, and
// less than 0 for what is before 1970, however far.
func CeilMs(t time.Time) int64 {
	// The ms of such times would wrap around to others.
	if s := t.Unix(); s > MaxDueMs/1000 {
		return MaxDueMs
	} else if s < -MaxDueMs/1000 {
		return -MaxDueMs
	}
	ms := t.UnixMilli()
	if t.Nanosecond()%int(time.Millisecond) != 0 {
		ms++
	}
	return ms
}
