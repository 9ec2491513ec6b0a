package web

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/catalog"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/wire"
	"github.com/duequeue/duequeue/registry"
)

// twins are two servers with a queue each, whose messages differ in a hidden field alone.
type twins struct {
	clients [2]*framework.Client
	where   [2]string
	queue   registry.Descriptor
	values  []string // that may be asked for
}

// moments are what differs from one look to the next.
var moments = regexp.MustCompile(`(?s)<time.*?</time>|<td data-name="Lag".*?</td>|<span class="faint"> \([^<]* ago\)</span>|data-plot="[^"]*"|<svg.*?</svg>|(, the oldest for( at least)? )?\d+(\.\d+)? (m?s|min)\b`)

// twinsOf fills two servers.
func twinsOf(t *testing.T, codec string) (w twins) {
	t.Helper()
	cd, err := catalog.Find(codec)
	if err != nil {
		t.Fatal(err)
	}
	q := registry.Define[any]("TWINS", "twins", registry.Codec(cd), registry.Visible("orderId"), registry.SearchField("orderId"))
	const entry = "1700000000000-0"
	hidden := []string{"DE89370400440532013000", "DE02120300000000202051"}
	var first []byte
	var servers [2]*redis.Client
	k := wire.KeysOf("TWINS")
	w.queue, w.values = q, []string{entry, "W1", "1", "rejected", "java.util.LinkedHashMap", "24h", hidden[0], hidden[1], hidden[0][:3], hidden[1][:3], "iban", "oban"}
	for i, iban := range hidden {
		payload, err := cd.Encode(map[string]any{"orderId": "W1", "iban": iban, "to": []any{map[string]any{"iban": iban}}})
		if err != nil {
			t.Fatal(err)
		}
		w.values = append(w.values, wire.Digest(payload))
		srv := lab.StartRedis(t)
		w.clients[i], servers[i], w.where[i] = openOn(t, srv), srv.Client(), srv.Addr()
		if err := servers[i].XAdd(t.Context(), &redis.XAddArgs{Stream: k.Dead, ID: entry, Values: []any{
			"body", payload, "reason", "rejected", "detail", "no such order", "digest", wire.Digest(payload), "at", "1700000000000", "delivered", "1", "failed", "1",
		}}).Err(); err != nil {
			t.Fatal(err)
		}
		servers[i].RPush(t.Context(), k.Queue, payload)
		if i == 0 {
			first = payload
			r, err := framework.Bind(w.clients[0], registry.Define[[]byte]("TWINS", "", registry.Codec(codecs.ByteArray()))).Offer(t.Context(), payload, time.Hour)
			if err != nil {
				t.Fatal(err)
			}
			w.values = append(w.values, string(r.ID))
			continue
		}
		if len(payload) != len(first) {
			t.Fatal("the payloads have two lengths")
		}
		for _, z := range servers[0].ZRangeWithScores(t.Context(), k.Timeout, 0, -1).Val() { // the same ID and due time
			element := strings.Replace(z.Member.(string), string(first), string(payload), 1)
			servers[1].ZAdd(t.Context(), k.Timeout, redis.Z{Score: z.Score, Member: element})
			servers[1].RPush(t.Context(), k.Pending, element)
		}
	}
	return w
}

// No page tells who may not see a hidden field what it holds: messages that differ in one alone give
// the same answer, for each parameter that the page knows.
func TestNoPageTellsOfHiddenFields(t *testing.T) {
	t.Parallel()
	for _, codec := range []string{"kryo5", "jsonjackson", "serialization"} {
		t.Run(codec, func(t *testing.T) {
			t.Parallel()
			w := twinsOf(t, codec)
			for what, row := range map[string]struct {
				queues []registry.Descriptor
				role   Role
			}{
				"declared, look":    {[]registry.Descriptor{w.queue}, RoleLook},
				"found, look":       {nil, RoleLook},
				"declared, support": {[]registry.Descriptor{w.queue}, RoleSupport}, // by links, which are in no audit
			} {
				var consoles [2]*Console
				for i, c := range w.clients {
					consoles[i] = start(t, c, Options{Queues: row.queues, History: -1, Payloads: PayloadOptions{Visible: []string{"orderId"}, SearchFields: []string{"orderId"}}, Authorize: as(User{Name: "ann", Role: row.role})})
				}
				w.ask(t, consoles, what, row.role)
			}
		})
	}
}

// ask asks each page for each value of each parameter.
func (w twins) ask(t *testing.T, consoles [2]*Console, what string, role Role) {
	t.Helper()
	asked := 0
	for _, p := range consoles[0].listed {
		queries := []url.Values{{"q": {w.queue.Key()}}, {}}
		for _, name := range p.params {
			for _, v := range w.values {
				queries = append(queries, url.Values{"q": {w.queue.Key()}, name: {v}})
			}
		}
		for _, query := range queries {
			var pages [2]string
			for i, console := range consoles {
				status, body := get(t, console, p.path+"?"+query.Encode())
				pages[i] = fmt.Sprint(status, moments.ReplaceAllString(strings.ReplaceAll(body, w.where[i], "HERE"), ""))
				if p.post && p.path != "/decode" && role < RoleSupport && len(query) > 1 {
					if got := send(console, p.path, query, nil); got.Code != http.StatusForbidden {
						t.Errorf("%s: POST %s: %d", what, p.path, got.Code)
					}
				}
			}
			asked++
			if pages[0] != pages[1] {
				t.Errorf("%s: %s?%s tells the twins apart:\n%s", what, p.path, query.Encode(), differ(pages[0], pages[1]))
			}
			if strings.Contains(pages[0], "DE8937") && !strings.Contains(query.Encode(), "DE8937") {
				t.Errorf("%s: %s?%s shows the hidden field", what, p.path, query.Encode())
			}
		}
	}
	if asked < 100 {
		t.Errorf("%s: only %d pages were asked for", what, asked)
	}
}

// differ shows the first lines that differ.
func differ(a, b string) string {
	as, bs := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(as), len(bs)) {
		if as[i] != bs[i] {
			return as[i] + "\n" + bs[i]
		}
	}
	return fmt.Sprintf("%d and %d lines", len(as), len(bs))
}
