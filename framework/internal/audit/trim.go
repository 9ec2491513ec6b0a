package audit

import (
	"context"

	"github.com/redis/go-redis/v9"
)

// Redis is what [Write] needs of a client.
type Redis interface {
	redis.Scripter
	XRangeN(ctx context.Context, stream, start, stop string, count int64) *redis.XMessageSliceCmd
	XDel(ctx context.Context, stream string, ids ...string) *redis.IntCmd
}

const (
	trimSlack = 100 // entries beyond Most, so that not each write trims
	trimPage  = 500 // entries of one command
)

// trim removes what a stream has beyond Most entries: the oldest entries of the user who has the
// most, so that no user pushes out what others did. What fails is tried by a later write; the
// script bounds a stream whose trims keep failing.
func trim(ctx context.Context, rdb Redis, key string) error {
	of, all := map[string][]string{}, 0 // ids by user, the oldest first
	for from := "-"; ; {
		page, err := rdb.XRangeN(ctx, key, from, "+", trimPage).Result()
		if err != nil {
			return err
		}
		for _, m := range page {
			who, _ := m.Values[fieldWho].(string)
			of[who] = append(of[who], m.ID)
		}
		if all += len(page); len(page) < trimPage {
			break
		}
		from = "(" + page[len(page)-1].ID
	}
	var gone []string
	for ; all > Most; all-- {
		most := ""
		for who, ids := range of {
			if len(ids) > len(of[most]) {
				most = who
			}
		}
		gone, of[most] = append(gone, of[most][0]), of[most][1:]
	}
	for len(gone) > 0 {
		n := min(len(gone), trimPage)
		if err := rdb.XDel(ctx, key, gone[:n]...).Err(); err != nil {
			return err
		}
		gone = gone[n:]
	}
	return nil
}
