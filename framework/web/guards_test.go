package web

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/catalog"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/wire"
	"github.com/duequeue/duequeue/registry"
)

// Nothing reads a parameter that its page or action does not name.
func TestSourcesKeepToTheGuards(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob("*.go")
	if err != nil || len(names) == 0 {
		t.Fatal(err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Body == nil {
				continue
			}
			ast.Inspect(f.Body, func(n ast.Node) bool {
				if call, is := n.(*ast.CallExpr); is {
					if s, is := call.Fun.(*ast.SelectorExpr); is && slices.Contains([]string{"FormValue", "PostFormValue"}, s.Sel.Name) {
						t.Errorf("%s: %s reads a parameter besides those that are named", name, f.Name.Name)
					}
				}
				return true
			})
		}
	}
}

var (
	forms  = regexp.MustCompile(`(?s)<form[^>]*action="\{\{\$?\.?(?:\$\.)?Link "([^"]+)"\}\}"[^>]*>(.*?)</form>`)
	inputs = regexp.MustCompile(`name="([a-z]+)"`)
)

// Each form of a template sends parameters that its page or action knows: others would be refused.
func TestFormsSendWhatIsKnown(t *testing.T) {
	t.Parallel()
	console := start(t, open(t), Options{History: -1})
	entries, err := fs.ReadDir(templateFiles, "templates")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, e := range entries {
		text, err := fs.ReadFile(templateFiles, "templates/"+e.Name())
		if err != nil {
			t.Fatal(err)
		}
		for _, form := range forms.FindAllStringSubmatch(string(text), -1) {
			found++
			known := []string{"q", "reason", "confirm", "dry"}
			if a, ok := console.actions[form[1]]; ok {
				known = append(known, a.params...)
			} else if p, ok := console.pages[form[1]]; ok {
				known = append(known, p.params...)
			} else {
				t.Errorf("%s: a form of %s, which there is not", e.Name(), form[1])
			}
			for _, name := range inputs.FindAllStringSubmatch(form[2], -1) {
				if !slices.Contains(known, name[1]) {
					t.Errorf("%s: the form of %s sends %s", e.Name(), form[1], name[1])
				}
			}
		}
	}
	if found < 10 { // those of the table of operations are made by their parameters
		t.Errorf("only %d forms were looked at", found)
	}
}

// audited are the forms that the audit has.
func audited(console *Console) (paths map[string][]string) {
	paths = map[string][]string{}
	for _, p := range console.listed {
		if p.post && p.path != "/decode" {
			paths[p.path] = p.params
		}
	}
	for _, a := range console.allActions() {
		paths[a.path] = a.params
	}
	return paths
}

// No form can make the audit say less: what it does not know is refused, and no parameter pushes
// another out, however long it is.
func TestTheAuditCannotBePadded(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	c := openOn(t, srv)
	queue, _ := full(t, c, srv)
	console := start(t, c, Options{History: -1, Writable: true})
	for path, params := range audited(console) {
		form := url.Values{"q": {queue}, "reason": {"a test"}, "confirm": {queue}, "a": {strings.Repeat("a", 3000)}}
		if !console.actions[path].confirm {
			form.Del("confirm")
		}
		if status := send(console, path, form, nil).Code; status != http.StatusBadRequest {
			t.Errorf("%s with a parameter that it does not know: %d", path, status)
		}
		form.Del("a")
		for _, name := range params {
			form[name] = []string{"1", "2"}
			if status := send(console, path, form, nil).Code; status != http.StatusBadRequest {
				t.Errorf("%s with %s twice: %d", path, name, status)
			}
			form.Set(name, "value-of-"+name+strings.Repeat(" \u202e", 2000))
		}
		r := &request{params: params, query: form}
		target := targetOf(r)
		for _, name := range params {
			if !strings.Contains(target, name+" value-of-"+name) {
				t.Errorf("%s: the audit lacks %s: %.300s", path, name, target)
			}
		}
		if len(target) > 2048 {
			t.Errorf("%s: %d bytes of target", path, len(target))
		}
	}
}

// Each who shows, exports or changes anything has a name.
func TestNobodyActsWithoutAName(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	c := openOn(t, srv)
	queue, id := full(t, c, srv)
	console := start(t, c, Options{History: -1, Writable: true, Authorize: as(User{Role: RoleAdmin})})
	for path, params := range audited(console) {
		for _, form := range questions(queue, params, id) {
			form.Set("reason", "a test")
			if console.actions[path].confirm {
				form.Set("confirm", queue)
			}
			if w := send(console, path, form, nil); w.Code < 400 || w.Code >= 500 {
				t.Errorf("%s without a name: %d", path, w.Code)
			}
		}
	}
	if got := audits(t, c); len(got) > 0 {
		t.Errorf("the audit has %q", got)
	}
}

// countedCodec counts how many payloads it decodes at a time.
type countedCodec struct {
	codecs.Codec

	under, most *atomic.Int64
}

func (c countedCodec) Decode(body []byte) (any, error) {
	now := c.under.Add(1)
	defer c.under.Add(-1)
	for most := c.most.Load(); now > most; most = c.most.Load() {
		c.most.CompareAndSwap(most, now)
	}
	for range 20 { // others come at the same time
		runtime.Gosched()
	}
	return c.Codec.Decode(body)
}

// Whatever pages are asked for at a time, one payload is decoded at a time.
func TestOnePayloadIsDecodedAtATime(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	c := openOn(t, srv)
	queue, id := full(t, c, srv)
	var under, most atomic.Int64
	q := registry.Define[string](queue, "", registry.Codec(countedCodec{codecs.String(), &under, &most}), registry.SearchField("orderId"))
	console := start(t, c, Options{History: -1, Queues: []registry.Descriptor{q}})
	var all sync.WaitGroup
	for _, p := range console.listed {
		for _, query := range questions(queue, p.params, id) {
			all.Go(func() { get(t, console, p.path+"?"+query.Encode()) })
		}
	}
	all.Wait()
	if most.Load() != 1 {
		t.Errorf("%d payloads at a time", most.Load())
	}
}

// A few bytes become no great value: what people look at has small limits.
func TestFewBytesStayFew(t *testing.T) {
	t.Parallel()
	console := start(t, open(t), Options{History: -1})
	for _, codec := range []string{"zstd(kryo5)", "zstd(marshalling)", "lz4(kryo5)", "snappyv2(kryo5)", "zstd(jsonjackson)", "kryo5"} {
		reader, err := console.payloads.reading(codec)
		if err != nil {
			t.Fatal(err)
		}
		body, err := encoded(codec, make([]any, 200_000))
		if err != nil {
			t.Fatal(err)
		}
		if read := reader.Read(body); read.Err == nil || !strings.Contains(strings.ToLower(read.Err.Error()), "32768") {
			t.Errorf("%s: %d bytes: %v", codec, len(body), read.Err)
		}
		if status, page := post(t, console, "/decode", url.Values{"codec": {codec}, "form": {"hex"}, "text": {fmt.Sprintf("%x", body)}}); status != http.StatusOK || len(page) > 1<<20 {
			t.Errorf("%s: %d bytes make a page of %d bytes (%d)", codec, len(body), len(page), status)
		}
	}
}

// encoded is a value as a codec without bounds writes it.
func encoded(name string, v any) ([]byte, error) {
	c, err := catalog.FindWith(name, catalog.Options{Limits: codecs.Limits{Elements: -1, Bytes: -1}})
	if err != nil {
		return nil, err
	}
	return c.Encode(v)
}

// What shows or exports hidden fields is in a stream of its own, what changes anything in the other:
// who looks often pushes out no change.
func TestWhatIsShownHasAStreamOfItsOwn(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	c, rdb := openOn(t, srv), srv.Client()
	queue, id := full(t, c, srv)
	console := start(t, c, Options{History: -1, Writable: true})
	all := audited(console)
	pages := func(path string) int { // first: actions may go on behind their answers
		if _, acts := console.actions[path]; acts {
			return 1
		}
		return 0
	}
	for _, path := range slices.SortedFunc(maps.Keys(all), func(a, b string) int { return cmp.Or(pages(a)-pages(b), strings.Compare(a, b)) }) {
		params := all[path]
		_, acts := console.actions[path]
		changes, shown := rdb.XLen(t.Context(), wire.AuditKey).Val(), rdb.XLen(t.Context(), wire.ShownKey).Val()
		for _, form := range questions(queue, params, id) {
			form.Set("reason", "a test")
			if console.actions[path].confirm {
				form.Set("confirm", queue)
			}
			send(console, path, form, nil)
		}
		if n := rdb.XLen(t.Context(), wire.AuditKey).Val(); !acts && n > changes {
			t.Errorf("%s changes nothing, and is among the changes", path)
		}
		if n := rdb.XLen(t.Context(), wire.ShownKey).Val(); (n > shown) == acts {
			t.Errorf("%s: %d entries of what was shown, %d before", path, n, shown)
		}
	}
}
