package catalog_test

import (
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/catalog"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/jackson"
	"github.com/duequeue/duequeue/codecs/kryo5"
	"github.com/duequeue/duequeue/codecs/marshalling"
)

type cancelled struct {
	OrderNumber int64     `json:"orderNumber"`
	At          time.Time `json:"at"`
}

// TestText: a payload is the string of the outer codec, and the text in it a payload of the
// inner one.
func TestText(t *testing.T) {
	t.Parallel()
	const text = `{"orderNumber":1867345678901234567,"at":"2024-01-02T03:04:05Z"}`
	for name, outer := range map[string]codecs.Codec{"kryo5": kryo5.New(), "marshalling": marshalling.New(), "jsonjackson": jackson.JsonJackson(), "string": codecs.String()} {
		payload := codectest.Must(outer.Encode(text))(t)
		for _, c := range []codecs.Codec{codecs.Text(outer, jackson.JSON()), codectest.Must(catalog.Find("text(" + name + ",json)"))(t)} {
			if c.Name() != "text("+name+",json)" {
				t.Errorf("name %s", c.Name())
			}
			typed := codectest.Typed[cancelled](t, c)
			v := codectest.Must(typed.Decode(payload))(t)
			if v.OrderNumber != 1867345678901234567 || v.At.Year() != 2024 {
				t.Errorf("%s: %+v", name, v)
			}
			if again := codectest.Must(typed.Encode(v))(t); string(again) != string(payload) {
				t.Errorf("%s: %q, not %q", name, again, payload)
			}
			if again := codectest.Must(c.Encode(codectest.Must(c.Decode(payload))(t)))(t); string(again) != string(payload) {
				t.Errorf("%s: without a type %q, not %q", name, again, payload)
			}
		}
	}
}

// TestTextWithMapper: the text has the form that the name tells.
func TestTextWithMapper(t *testing.T) {
	t.Parallel()
	const name = "text(kryo5,json+dateformat=yyyy-MM-dd HH:mm:ss+timezone=GMT+8+longastext=TRUE)"
	c := codectest.Must(catalog.Find(name))(t)
	if c.Name() != name {
		t.Errorf("name %s", c.Name())
	}
	payload := codectest.Must(kryo5.New().Encode(`{"orderNumber":"5","at":"2024-01-02 11:04:05"}`))(t)
	typed := codectest.Typed[cancelled](t, c)
	v := codectest.Must(typed.Decode(payload))(t)
	if again := codectest.Must(typed.Encode(v))(t); string(again) != string(payload) || v.OrderNumber != 5 || v.At.UTC().Hour() != 3 {
		t.Errorf("%+v %q", v, again)
	}
	const commas = "text(kryo5,json+dateformat=MMM d, yyyy, h:mm:ss a+timezone=UTC)"
	if name := codectest.Must(catalog.Find(commas))(t).Name(); name != commas {
		t.Errorf("name %s", name)
	}
}

// TestTextMistakes: each mistake says what is wrong.
func TestTextMistakes(t *testing.T) {
	t.Parallel()
	c := codecs.Text(kryo5.New(), jackson.JSON())
	_, err := c.Decode(codectest.Must(kryo5.New().Encode(int64(5)))(t))
	wants(t, err, "no string")
	_, err = c.Decode(codectest.Must(kryo5.New().Encode(`{"a":`))(t))
	wants(t, err, "decode json")
	_, err = catalog.Find("json+typing=NON_FINAL")
	wants(t, err, "of a Mapper, plain JSON knows Dates, DateFormat, TimeZone and LongAsText")
	_, err = codecs.Text(codecs.Long(), jackson.JSON()).Encode("x")
	wants(t, err, "carries no strings")
	_, err = codecs.Text(nil, jackson.JSON()).Decode(nil)
	wants(t, err, "nil")
	_, err = codecs.Text(kryo5.New(), codecs.ByteArray()).Encode([]byte{0xff})
	wants(t, err, "writes no text")
	_, err = codecs.For[cancelled](codecs.Text(codecs.Long(), jackson.JSON()), codecs.BindOptions{})
	wants(t, err, "carries no strings")
	_, err = catalog.Find("text(kryo5)")
	wants(t, err, "text(kryo5,json)")
	if v, err := c.Decode(codectest.Must(kryo5.New().Encode(nil))(t)); v != nil || err != nil {
		t.Errorf("null: %v, %v", v, err)
	}
}

func wants(t *testing.T, err error, text string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), text) {
		t.Errorf("error %v, not %q", err, text)
	}
}
