package payload

import (
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/duequeue/duequeue/codecs/java"
)

// Bounds of JSON that is looked for in a text.
const (
	maxInsideBytes = 1 << 20
	maxInsideDepth = 64
)

// inside returns what a text holds that is an object or array of JSON: Java services offer
// JSON.toJSONString(order) through codecs that carry a String. A field of it is found and shown
// as one of a map. ok is false for any other text.
func inside(text string) (value any, ok bool) {
	trimmed := strings.TrimSpace(text)
	if len(text) > maxInsideBytes || trimmed == "" || trimmed[0] != '{' && trimmed[0] != '[' {
		return nil, false
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	value, err := jsonValue(d, 0)
	if err != nil {
		return nil, false
	}
	_, err = d.Token()
	return value, errors.Is(err, io.EOF)
}

var errTooDeep = errors.New("nested too deeply")

func jsonValue(d *json.Decoder, depth int) (any, error) {
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch t := t.(type) {
	case json.Number:
		return number(t.String()), nil
	case json.Delim:
		if depth == maxInsideDepth {
			return nil, errTooDeep
		}
		if t == '{' {
			return object(d, depth)
		}
		list := &java.List{Class: "JSON"}
		for d.More() {
			v, err := jsonValue(d, depth+1)
			if err != nil {
				return nil, err
			}
			list.Elements = append(list.Elements, v)
		}
		_, err := d.Token()
		return list, err
	}
	return t, nil // a text, a boolean, null
}

func object(d *json.Decoder, depth int) (any, error) {
	m := &java.Map{Class: "JSON"}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, err
		}
		v, err := jsonValue(d, depth+1)
		if err != nil {
			return nil, err
		}
		m.Entries = append(m.Entries, java.Entry{Key: key, Value: v})
	}
	_, err := d.Token()
	return m, err
}

// number returns a number whose text is that of the JSON, as far as one of Java's has it.
func number(text string) any {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n
	}
	if d, err := java.ParseBigDecimal(text); err == nil {
		return d
	}
	return text
}
