package web

import (
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/kryo5"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/framework/internal/wire"
	"github.com/duequeue/duequeue/registry"
)

// javaMoney is a demo.Money of 1999 cents that a Java program wrote with MarshallingCodec,
// javaCustomers a list of demo.Customer with Kryo 5; see testdata of cmd/duequeue.
const (
	javaMoney     = "0404093e0a64656d6f2e4d6f6e6579cbbb4865164ed905000000023e0563656e747324003e0863757272656e637916001600000000000007cf3e03455552"
	javaCustomers = "01006a6176612e7574696c2e41727261794c6973f403010164656d6f2e437573746f6d65f20000010e0000416eee808000010264656d6f2e5669f0000009100000426fe28080036c6f756e67e50001010000010e0000416eee808000"
)

type webOrder struct {
	ID    string `java:"orderId"`
	Email string `java:"email"`
}

func (webOrder) JavaClass() string { return "com.demo.Order" }

func unhex(t testing.TB, text string) []byte {
	t.Helper()
	b, err := hex.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func post(t *testing.T, h http.Handler, path string, form url.Values) (int, string) {
	t.Helper()
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

// wants reports what a page lacks, or has and should not.
func wants(t *testing.T, what, body string, want, not []string) {
	t.Helper()
	for _, text := range want {
		if !strings.Contains(body, text) {
			t.Errorf("%s: no %q in\n%s", what, text, body)
		}
	}
	for _, text := range not {
		if queuetest.Holds(body, text) {
			t.Errorf("%s: %q in\n%s", what, text, body)
		}
	}
}

// Support finds an order of Go and one of Java by one text, in one queue and in all, and sees of
// them what is declared visible.
func TestSearchPage(t *testing.T) {
	t.Parallel()
	c := open(t)
	name, javas := queuetest.NewQueue().Queue, queuetest.NewQueue().Queue
	q := registry.Define[webOrder](name, "unpaid orders", registry.Codec(kryo5.New()), registry.SearchField("orderId"), registry.Visible("orderId"))
	r, err := framework.Bind(c, q).Offer(t.Context(), webOrder{ID: "W-4711", Email: "ann@example.com"}, time.Hour, framework.Key("key-<4711>"))
	if err != nil {
		t.Fatal(err)
	}
	rdb := lab.Connect(t, lab.Shared.Addr())
	queuetest.Put(t, rdb, wire.KeysOf(javas), time.Now().Add(time.Hour).UnixMilli(), queuetest.JavaNew([]byte("12345678"), unhex(t, javaMoney)))
	console := start(t, c, Options{
		Queues: []registry.Descriptor{q}, OnlyDeclared: true,
	})
	_, body := get(t, console, "/search")
	wants(t, "empty", body, []string{"Type what you know"}, nil)
	for _, text := range []string{"W-4711", string(r.ID), "key-<4711>"} {
		for _, in := range []string{"", "&q=" + name} {
			_, body := get(t, console, "/search?text="+url.QueryEscape(text)+in)
			wants(t, text+in, body, []string{"1 message found", string(r.ID), "Order orderId=W-4711", "hidden", "unpaid orders"}, []string{"ann@example.com", "key-<4711>"})
		}
	}
	_, body = get(t, console, "/search?text=none")
	wants(t, "none", body, []string{"Nothing was found"}, []string{"1 message"})
	_, body = get(t, console, "/search?text=none&q="+name)
	wants(t, "none in one", body, []string{"Nothing was found", "1 of 1 pending", "0 of 0 dead", "by orderId"}, nil)
	_, body = get(t, console, "/search?text=none&cursor=x&q="+name)
	wants(t, "damaged", body, []string{"begin again without one"}, nil)

	// A console that is told the codec's fields finds what no program declares.
	told := start(t, c, Options{Payloads: PayloadOptions{Codec: "MarshallingCodec", SearchFields: []string{"cents"}, Visible: []string{"cents"}}})
	_, body = get(t, told, "/search?text=1999&q="+javas)
	wants(t, "java", body, []string{"1 message found", "Money cents=1999", "hidden"}, []string{"EUR"})

	status, _ := get(t, start(t, c, Options{Queues: []registry.Descriptor{q}, Authorize: as(User{Role: RoleNone})}), "/search?text=x")
	if status != http.StatusForbidden {
		t.Errorf("without a role: %d", status)
	}
	on := User{Role: RoleLook, On: func(string) Role { return RoleNone }}
	status, body = get(t, start(t, c, Options{Queues: []registry.Descriptor{q}, OnlyDeclared: true, Authorize: as(on)}), "/search?text=W-4711")
	if status != http.StatusOK || strings.Contains(body, "1 message found") {
		t.Errorf("without a role on the queue: %d %s", status, body)
	}
	if _, err := New(c, Options{Authorize: as(User{}), Payloads: PayloadOptions{Codec: "nonsense"}}); err == nil || !strings.Contains(err.Error(), "nonsense") {
		t.Errorf("%v", err)
	}
}

// A message that is done is found in the journal, with the fields that may be shown.
func TestSearchPageOfTheJournal(t *testing.T) {
	t.Parallel()
	c := open(t)
	name := queuetest.NewQueue().Queue
	q := registry.Define[webOrder](name, "", registry.Codec(kryo5.New()), registry.Visible("orderId"), registry.Journal(time.Hour, "orderId", "email"))
	if _, err := framework.Bind(c, q).Offer(t.Context(), webOrder{ID: "W-4712", Email: "ann@example.com"}, time.Hour, framework.Key("key-<4712>")); err != nil {
		t.Fatal(err)
	}
	if err := framework.Bind(c, q).CancelKey(t.Context(), "key-<4712>"); err != nil {
		t.Fatal(err)
	}
	console := start(t, c, Options{Queues: []registry.Descriptor{q}, OnlyDeclared: true})
	for _, text := range []string{"W-4712", "key-<4712>", "ann@example.com"} {
		_, body := get(t, console, "/search?text="+url.QueryEscape(text))
		_, found, _ := strings.Cut(body, "1 message found")
		wants(t, text, found, []string{"cancelled", "says the journal", "key key-&lt;4712&gt;", "orderId W-4712", "1 of 1 journal"}, []string{"ann@example.com", "key-<4712>"})
	}
}

// What people paste is shown as a tree, whatever it is.
func TestDecodePage(t *testing.T) {
	t.Parallel()
	console := start(t, open(t), Options{})
	_, body := get(t, console, "/decode?text=abc")
	wants(t, "get", body, []string{"Payload, as hex", "kryo5"}, []string{">abc<"})
	deep := &java.List{Class: java.ClassArrayList}
	for range 500 {
		deep = &java.List{Class: java.ClassArrayList, Elements: []any{deep}}
	}
	nested, err := kryo5.New().Encode(deep)
	if err != nil {
		t.Fatal(err)
	}
	for name, row := range map[string]struct {
		form      url.Values
		want, not []string
	}{
		"java":   {url.Values{"text": {javaMoney}}, []string{"Read as marshalling", "Money cents=1999 currency=EUR", "java.lang.Long"}, nil},
		"hex":    {url.Values{"text": {" 03 61 62 e3 "}, "form": {"hex"}}, []string{"Read as kryo5", "It may also be", ">abc<"}, nil},
		"base64": {url.Values{"text": {base64.StdEncoding.EncodeToString(unhex(t, javaMoney))}}, []string{"Money cents=1999"}, nil},
		"class":  {url.Values{"text": {javaCustomers}}, []string{"cannot be read", "A jar that has demo.Customer"}, nil},
		"codec":  {url.Values{"text": {`{"a":1}`}, "codec": {"bytearray"}}, []string{"7b2261223a317d"}, nil},
		"html": {
			url.Values{"text": {`{"@class":"<script>alert(1)</script>","a":"<img src=x onerror=alert(1)>` + "\u202e" + `"}`}, "codec": {"jsonjackson"}},
			[]string{"&lt;script&gt;alert(1)", "&lt;img src=x", `\u202e`},
			[]string{"<script>alert", "<img src=x"},
		},
		"deep":      {url.Values{"text": {hex.EncodeToString(nested)}, "codec": {"kryo5"}}, []string{"deeper than is shown"}, nil},
		"large":     {url.Values{"text": {`"` + strings.Repeat("x", 1<<20-10) + `"`}, "form": {"text"}, "codec": {"jsonjackson"}}, []string{"1048566 bytes"}, nil},
		"too large": {url.Values{"text": {strings.Repeat("x", 1<<20+1)}, "form": {"text"}}, []string{"At most 1048576 bytes"}, nil},
		"no hex":    {url.Values{"text": {"xyz"}, "form": {"hex"}}, []string{"This is not hex"}, nil},
		"no form":   {url.Values{"text": {"00"}, "form": {"octal"}}, []string{"hex, base64 or text"}, nil},
		"unknown":   {url.Values{"text": {"00"}, "codec": {"<nonsense>"}}, []string{"unknown codec"}, []string{"<nonsense>"}},
	} {
		t.Run(name, func(t *testing.T) {
			status, body := post(t, console, "/decode", row.form)
			if status != http.StatusOK {
				t.Errorf("status %d", status)
			}
			i := strings.Index(body, "</textarea>")
			wants(t, name, body[:min(i, 4000)]+body[i:min(len(body), i+20000)], row.want, row.not)
			if strings.Contains(body, `style="`) || strings.Contains(body, "<script>") {
				t.Error("the page has a style or script of its own")
			}
		})
	}
}
