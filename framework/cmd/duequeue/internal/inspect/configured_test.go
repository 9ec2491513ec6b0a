package inspect

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs/java/classfile"
)

// described is what inspect says of the codecs in classes, one a line.
func described(all []configured) (lines []string) {
	for _, c := range all {
		lines = append(lines, c.text())
		for _, text := range c.Unread {
			lines = append(lines, "  - "+text)
		}
		if c.Declare != "" {
			lines = append(lines, "  "+c.Declare)
		}
	}
	return lines
}

// TestCodecsOfClasses reads what javac made of testdata/src/app.
func TestCodecsOfClasses(t *testing.T) {
	t.Parallel()
	classes, err := classfile.Open("testdata/classes")
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("testdata/codecs.txt")
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(described(codecsOf(classes, t.Errorf)), "\n") + "\n"; got != string(want) {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// TestMessagesDecide: what classes say of an ObjectMapper is declared where the messages have that
// form, and an empty queue is declared by the classes alone.
func TestMessagesDecide(t *testing.T) {
	t.Parallel()
	const typed = "typedjsonjackson+typing=NON_FINAL+dates=TIMESTAMPS+localdatetime=yyyy-MM-dd HH:mm:ss"
	client := configured{Method: "A.a", Call: setCodec, Codec: typed}
	own := configured{Method: "A.b", Call: "getBlockingQueue", Queue: "Q", Codec: "kryo5"}
	unread := configured{Method: "A.c", Call: setCodec}
	wrapped, bean := `["demo.Order",{"id":5,"at":"2024-01-02 03:04:05"}]`, `{"@class":"demo.Order","id":5}`
	for name, row := range map[string]struct {
		configured   []configured
		codec, body  string
		want, note   string
		notConfident bool
	}{
		"they agree":           {[]configured{client}, "typedjsonjackson+typing=NON_FINAL", wrapped, typed, "", false},
		"one of two":           {[]configured{{Call: setCodec, Codec: "kryo5"}, client}, "typedjsonjackson+typing=NON_FINAL", wrapped, typed, "", false},
		"they do not":          {[]configured{client}, "jsonjackson", bean, "jsonjackson", "the classes set " + typed + ", and messages here are of jsonjackson", false},
		"another form":         {[]configured{{Call: setCodec, Codec: typed + "+as=PROPERTY"}}, "typedjsonjackson+typing=NON_FINAL", wrapped, "typedjsonjackson+typing=NON_FINAL", "the classes set ", false},
		"the queue's own":      {[]configured{client, own}, "kryo5", "", "kryo5", "", false},
		"what is not read":     {[]configured{client, unread}, "jsonjackson", bean, "jsonjackson", "", false},
		"text in it":           {[]configured{own}, "text(kryo5,json)", "", "text(kryo5,json)", "", false},
		"no message":           {[]configured{client}, "", "", typed, "", true},
		"no message, several":  {[]configured{client, {Call: setCodec, Codec: "kryo5"}}, "", "", "", "", false},
		"no message, not read": {[]configured{client, unread}, "", "", "", "", false},
	} {
		i := &inspector{configured: row.configured}
		r := &report{Queue: "Q"}
		if row.codec != "" {
			r.Codecs = []verdict{{Codec: row.codec, Read: 1, Of: 1}}
		}
		i.compare(r, [][]byte{[]byte(row.body)})
		got := ""
		if len(r.Codecs) > 0 {
			got = r.Codecs[0].Codec
		}
		if notes := strings.Join(r.Notes, "; "); got != row.want || (notes == "") != (row.note == "") || !strings.HasPrefix(notes, row.note) {
			t.Errorf("%s: %s, notes %q", name, got, notes)
		}
		if row.notConfident && r.Codecs[0].Confidence != unproven {
			t.Errorf("%s: %s", name, r.Codecs[0].Confidence)
		}
	}
}

// TestHostileClasses: no damaged class makes the reader fail.
func TestHostileClasses(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/classes/app/Beans.class")
	if err != nil {
		t.Fatal(err)
	}
	parsed := 0
	for at := 0; at < len(data); at += 7 {
		damaged := bytes.Clone(data)
		damaged[at] ^= 1 << (at % 8)
		f, err := classfile.Parse(damaged)
		var format *classfile.FormatError
		switch {
		case err == nil:
			parsed++
			for i := range f.Methods {
				codecsIn(f, &f.Methods[i])
			}
		case !errors.As(err, &format):
			t.Errorf("byte %d: %v", at, err)
		}
	}
	if parsed < len(data)/28 {
		t.Errorf("%d of %d are classes", parsed, len(data))
	}
}
