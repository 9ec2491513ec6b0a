// Package ondead has functions for [framework.OnDead]: a webhook and an event of
// OpenTelemetry's logs.
package ondead

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/internal/deadletter"
)

// Hook says where a webhook posts to. URL alone suffices.
type Hook struct {
	// URL is http or https.
	URL string
	// Client sends the requests; nil is one that follows no redirect. The context of the call
	// ends a request after 30 seconds.
	Client *http.Client
	// Secret, if set, signs each body: the header Duequeue-Signature is "sha256=" and the hex
	// of its HMAC with SHA-256.
	Secret []byte
	// Header is added to each request, such as Authorization.
	Header http.Header
	// Payload puts the payload's bytes into the body, in base64. By default they stay in Redis:
	// they may hold what a chat or a ticket should not.
	Payload bool
}

// Webhook returns a function that posts each dead letter as JSON, with the fields of
// "duequeue dead list -json". A status of 200 to 299 says that it was taken; anything else is an
// error, and the letter is posted again after a minute. Since a letter may be posted twice, each
// has the header Idempotency-Key, which is the same each time. Errors: a URL that is none.
func Webhook(h Hook) (func(ctx context.Context, m framework.DeadMessage) error, error) {
	switch u, err := url.Parse(h.URL); {
	case err != nil:
		return nil, errors.New("ondead.Webhook: the URL cannot be read") // err may have a password in it
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return nil, errors.New("ondead.Webhook: the URL must begin with http:// or https:// and have a host")
	}
	if h.Client == nil {
		h.Client = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	}
	return h.post, nil
}

func (h Hook) post(ctx context.Context, m framework.DeadMessage) error {
	line := deadletter.LineOf(m)
	if h.Payload {
		line = deadletter.ExportOf(m.Queue, m)
	}
	body, err := json.Marshal(line)
	if err != nil {
		return fmt.Errorf("webhook: %w", err)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, h.URL, bytes.NewReader(body))
	if err != nil {
		return errors.New("webhook: the URL cannot be read")
	}
	for name, values := range h.Header {
		r.Header[http.CanonicalHeaderKey(name)] = values
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Idempotency-Key", m.Queue+"/"+m.Entry)
	if len(h.Secret) > 0 {
		sum := hmac.New(sha256.New, h.Secret)
		sum.Write(body)
		r.Header.Set("Duequeue-Signature", "sha256="+hex.EncodeToString(sum.Sum(nil)))
	}
	answer, err := h.Client.Do(r)
	if err != nil {
		if of, ok := errors.AsType[*url.Error](err); ok {
			err = of.Err // without the URL, which may hold a token
		}
		return fmt.Errorf("webhook: %w", err)
	}
	defer answer.Body.Close() //nolint:errcheck // nothing more is read
	said, _ := io.ReadAll(io.LimitReader(answer.Body, 200))
	if answer.StatusCode < 200 || answer.StatusCode > 299 {
		return fmt.Errorf("webhook: status %d: %.200q", answer.StatusCode, said)
	}
	return nil
}
