package main

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/jackson"
	"github.com/duequeue/duequeue/codecs/kryo5"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/env"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// What Java offered with one codec is in another one afterwards, and back.
func TestRecode(t *testing.T) {
	srv := lab.StartRedis(t)
	t.Setenv(env.RedisVariable, srv.URL())
	rdb, k := srv.Client(), wire.KeysOf("ORDERS")
	kryo, json := kryo5.New(), jackson.JsonJackson()
	encode := func(c codecs.Codec, v any) []byte { return queuetest.Must[[]byte](t)(c.Encode(v)) }
	due := time.Now().Add(time.Hour).UnixMilli()
	var want []string
	for i := range 30 {
		order := map[string]any{"orderId": fmt.Sprint(i), "amount": int64(i) << 33, "items": []any{"a", int32(i)}}
		payload := encode(kryo, order)
		if i%10 == 0 {
			payload = encode(json, order)
		}
		queuetest.Put(t, rdb, k, due+int64(i), queuetest.JavaNew([]byte(fmt.Sprintf("%08d", i)), payload))
		want = append(want, string(queuetest.JavaNew([]byte(fmt.Sprintf("%08d", i)), encode(json, order))))
	}
	queuetest.Put(t, rdb, k, due, queuetest.JavaNew([]byte("foreign!"), []byte("\xff\xfe?")))
	step := func(code int, out, errs, args string) {
		t.Helper()
		gotCode, gotOut, gotErrs := called(t, append([]string{"recode"}, strings.Fields(args)...)...)
		if gotCode != code || !strings.Contains(gotOut, out) || !strings.Contains(gotErrs, errs) {
			t.Errorf("recode %s: %d\n%s%s", args, gotCode, gotOut, gotErrs)
		}
	}
	step(exitUsage, "", "name both codecs", "ORDERS")
	step(exitUsage, "", "are the same codec", "-from kryo5 -to Kryo5Codec ORDERS")
	step(exitUsage, "", "nonsense", "-from kryo5 -to nonsense ORDERS")
	step(exitUsage, "", "no queue given", "-from kryo5 -to jsonjackson")
	step(exitFailed, "", "no such queue: NOWHERE", "-from kryo5 -to jsonjackson NOWHERE")
	step(exitFailed, "ORDERS: 27 would be recoded, 3 were in the new codec already, 1 could not be converted", "stays as it is: ", "-from kryo5 -to jsonjackson -dry-run ORDERS")
	step(exitFailed, "ORDERS: 27 recoded, 3 were in the new codec already, 1 could not be converted", "stays as it is: ", "-from kryo5 -to jsonjackson -share 1 ORDERS")
	pending := queuetest.Must[[]string](t)(rdb.ZRange(t.Context(), k.Timeout, 0, -1).Result())
	list := queuetest.Must[[]string](t)(rdb.LRange(t.Context(), k.Pending, 0, -1).Result())
	for i, element := range want {
		if !strings.HasPrefix(list[i], element[:9]) || list[i] != element {
			t.Errorf("message %d is %q in the list, want %q", i, list[i], element)
		}
	}
	rdb.ZRem(t.Context(), k.Timeout, queuetest.JavaNew([]byte("foreign!"), []byte("\xff\xfe?")))
	if len(pending) != 31 {
		t.Errorf("%d are pending", len(pending))
	}
	step(exitOK, `{"queue":"ORDERS","recoded":0,"already":30,"failed":0}`, "", "-from kryo5 -to jsonjackson -json ORDERS")
	step(exitOK, "ORDERS: 30 recoded, 0 were", "", "-from jsonjackson -to kryo5 -share 1 ORDERS")
	step(exitOK, "ORDERS: 0 recoded, 30 were", "", "-from jsonjackson -to kryo5 ORDERS")
	if _, out, _ := called(t, "audit"); !strings.Contains(out, "jsonjackson to kryo5") || !strings.Contains(out, "27 recoded, 1 left") {
		t.Errorf("the audit:\n%s", out)
	}
}
