package health

import (
	"encoding/json"
	"net/http"
	"slices"
)

// Handler serves what report returns: /livez answers 200 while the process
// should go on running, /readyz 200 while every queue can be served, otherwise 503.
// Both bodies are the [Report] as JSON, without the digests of payloads: whoever guesses a short
// payload could try the guess on its digest, and these pages have no login.
func Handler(report func() Report) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /livez", func(w http.ResponseWriter, _ *http.Request) {
		r := report()
		write(w, r, r.Live)
	})
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		r := report()
		write(w, r, r.Ready)
	})
	return mux
}

func write(w http.ResponseWriter, r Report, ok bool) {
	w.Header().Set("Content-Type", "application/json")
	if !ok {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	_ = json.NewEncoder(w).Encode(withoutDigests(r)) // the client went away
}

func withoutDigests(r Report) Report {
	r.Queues = slices.Clone(r.Queues)
	for i := range r.Queues {
		q := &r.Queues[i]
		q.Hung = slices.Clone(q.Hung)
		for j := range q.Hung {
			q.Hung[j].Digest = ""
		}
		if q.Suspect != nil {
			s := *q.Suspect
			s.Digest = ""
			q.Suspect = &s
		}
	}
	return r
}
