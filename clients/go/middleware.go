package headgate

import (
	"encoding/json"
	"net"
	"net/http"
	"strconv"
)

// Limit returns a middleware that answers 429 with Retry-After if a request is denied, and holds its slots until
// the response ends. The subject function describes a request, or returns false if it is not limited. A request
// that the service rejects gets 500.
func (c *Client) Limit(subject func(*http.Request) (Request, bool)) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			request, limited := subject(r)
			if !limited {
				next.ServeHTTP(w, r)
				return
			}
			decision, err := c.Check(r.Context(), request) // acquires slots, too, and repeats cached denials
			if err != nil {
				http.Error(w, http.StatusText(http.StatusInternalServerError), http.StatusInternalServerError)
				return
			}
			slot := &Slot{Decision: decision, client: c}
			defer slot.Release()
			if decision.Allowed {
				next.ServeHTTP(w, r)
				return
			}
			deny(w, decision)
		})
	}
}

// StandardSubject has the attributes path, method and ip. Behind a proxy, set RemoteAddr to the client's first.
func StandardSubject(r *http.Request) (Request, bool) {
	subject := map[string]string{"path": r.URL.Path, "method": r.Method}
	if host, _, err := net.SplitHostPort(r.RemoteAddr); err == nil {
		subject["ip"] = host
	}
	return Request{Subject: subject}, true
}

func deny(w http.ResponseWriter, decision Decision) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.Header().Set("Cache-Control", "no-store")
	if decision.RetryAfterMs != nil {
		w.Header().Set("Retry-After", strconv.FormatInt((*decision.RetryAfterMs+999)/1000, 10))
	}
	w.WriteHeader(http.StatusTooManyRequests)
	_ = json.NewEncoder(w).Encode(map[string]any{
		"type":              "https://iana.org/assignments/http-problem-types#quota-exceeded",
		"title":             "Quota exceeded",
		"status":            http.StatusTooManyRequests,
		"violated-policies": decision.Violated,
	})
}
