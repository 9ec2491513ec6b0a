package web

import (
	"encoding/hex"
	"net/http"
	"slices"
	"strings"

	"github.com/duequeue/duequeue/codecs/catalog"
	"github.com/duequeue/duequeue/framework/internal/decoding"
	"github.com/duequeue/duequeue/framework/internal/payload"
)

// maxPasted bounds a payload that is pasted, in bytes.
const maxPasted = 1 << 20

func (c *Console) decodePage() page {
	return page{path: "/decode", params: []string{"codec", "form", "text"}, name: "Decode", at: onTop, role: RoleLook, post: true, template: "decode.html", get: c.decodePasted}
}

// Forms are those in which a payload may be written.
func (decodeData) Forms() []string { return []string{"hex", "base64", "text"} }

type decodeData struct {
	Text, Form, Codec string
	Codecs            []string
	Payload           *shownPayload
	Err               string
}

// decodePasted shows what is in bytes that a person pastes. They are that person's, so that nothing is
// hidden.
func (c *Console) decodePasted(r *request) (any, error) {
	d := decodeData{Text: r.query.Get("text"), Form: r.query.Get("form"), Codec: strings.TrimSpace(r.query.Get("codec")), Codecs: append(catalog.Names(), "lz4(kryo5)")}
	if r.Method != http.MethodPost {
		d.Text = "" // a payload does not belong into an address
		return d, nil
	}
	body, err := pasted(d.Text, d.Form)
	if err != nil {
		d.Err = clean(err.Error())
		return d, nil
	}
	reader := c.payloads.reader
	if d.Codec != "" {
		if reader, err = c.payloads.reading(d.Codec); err != nil {
			d.Err = clean(err.Error())
			return d, nil
		}
	}
	p := c.payloads.show(len(body), []string{payload.All}, func() decoding.Payload { return reader.Read(body) })
	d.Payload = &p
	return d, nil
}

// pasted returns the bytes behind a text: hex, base64, or the text itself. Where the form is not
// given the text tells.
func pasted(text, form string) ([]byte, error) {
	blankless := strings.Join(strings.Fields(text), "")
	var body []byte
	var err error
	switch form {
	case "hex":
		body, err = hex.DecodeString(strings.TrimPrefix(blankless, "0x"))
	case "base64":
		body, err = decoding.Base64(text)
	case "text":
		body = []byte(text)
	case "", "auto":
		if body, err = hex.DecodeString(strings.TrimPrefix(blankless, "0x")); err == nil && blankless != "" {
			break
		}
		if body, err = decoding.Base64(text); err == nil && len(blankless) >= 8 && !slices.Contains([]byte("{["), blankless[0]) {
			break
		}
		body, err = []byte(text), nil
	default:
		return nil, refuse(http.StatusBadRequest, "A payload is written as hex, base64 or text")
	}
	switch {
	case err != nil:
		return nil, refuse(http.StatusUnprocessableEntity, "This is not %s: %v", form, err)
	case len(body) > maxPasted:
		return nil, refuse(http.StatusRequestEntityTooLarge, "At most %d bytes are shown here; duequeue decode takes more", maxPasted)
	}
	return body, nil
}
