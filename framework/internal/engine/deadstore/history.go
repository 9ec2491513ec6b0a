package deadstore

import (
	"time"

	"github.com/duequeue/duequeue/framework/internal/wire"
	"github.com/duequeue/duequeue/handlers"
)

// OfferedAt reads from an ID when it was made, by the producer's clock; the zero time where it
// does not tell.
func OfferedAt(id string) time.Time {
	of, err := wire.ParseID(id)
	if err != nil {
		return time.Time{}
	}
	at, _ := of.Element.Offered()
	return at
}

// HistoryOf reads what is kept of a redriven message, in a partition of its queue.
func HistoryOf(text string, partition int) (redriven int, deaths []handlers.Death) {
	if text == "" {
		return 0, nil
	}
	moment := func(ms int64) time.Time {
		if ms < 0 {
			return time.Time{}
		}
		return time.UnixMilli(ms)
	}
	h := wire.ParseHistory(text)
	for _, d := range h.Deaths {
		deaths = append(deaths, handlers.Death{
			At: moment(d.AtMs), Redriven: moment(d.RedrivenMs), Reason: d.Reason, Detail: d.Detail,
			Delivered: d.Delivered, Failed: d.Failed, Died: d.Died,
			Due: moment(d.DueMs), Offered: OfferedAt(d.ID), ID: wire.InPartition(partition, d.ID), Entry: wire.InPartition(partition, d.Entry),
		})
	}
	return h.Redriven, deaths
}
