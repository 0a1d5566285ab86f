// Package headgate asks a Headgate service whether requests may go ahead.
//
// A call takes at most its deadline. While the service is unavailable, the failure mode decides.
// No request is repeated, since one without a response may have been charged. The exceptions are a settlement and a
// cancellation of a reservation, which the service executes once.
package headgate

import (
	"bytes"
	"container/list"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

const (
	maxResponse = 1 << 20
	maxDenials  = 10_000
)

// timed has the algorithms whose denials end by time alone, so that they may be repeated until then.
var timed = map[string]bool{"token-bucket": true, "leaky-bucket": true, "fixed-window": true,
	"sliding-window": true, "rolling-window": true, "deny": true}

// Options are the settings of a Client. The zero value of each field has the default.
type Options struct {
	Token        string        // the check token; none by default
	Deadline     time.Duration // how long a call may take; 250 ms by default
	FailClosed   bool          // whether requests are denied while the service is unavailable
	MaxDenialAge time.Duration // for how long a denial is repeated, at most until its retry time; 1 s by default, negative disables it
	HTTP         *http.Client  // the HTTP client; one that follows no redirects by default
}

// Request is a request to be decided. Key is short for an attribute of the name key.
type Request struct {
	Key     string            `json:"key,omitempty"`
	Subject map[string]string `json:"subject,omitempty"`
	Cost    *int64            `json:"cost,omitempty"` // 1 by default
	Costs   map[string]int64  `json:"costs,omitempty"`
}

// Decision is the decision on one request.
type Decision struct {
	Allowed      bool     `json:"allowed"`
	Rule         string   `json:"rule"`
	Limit        *int64   `json:"limit"`        // nil if no limit applies
	Remaining    *int64   `json:"remaining"`    // nil if unknown or no limit applies
	RetryAfterMs *int64   `json:"retryAfterMs"` // nil if waiting does not help
	ResetAfterMs *int64   `json:"resetAfterMs"`
	DelayMs      int64    `json:"delayMs"` // how long an allowed request has to wait
	Source       string   `json:"source"`  // store, lease, cache, fallback or region
	Violated     []string `json:"violated"`
	SlotID       string   `json:"id"`
	UnusedCosts  []string `json:"unusedCosts"` // the costs that no matching limit spends, such as a misspelled name
	Failure      error    `json:"-"` // why the service did not decide; nil if it did
	Impossible   bool     `json:"impossible"`
	Limits       []Limit  `json:"limits"`
}

// Limit is the state of one limit.
type Limit struct {
	Rule      string `json:"rule"`
	Name      string `json:"name"`
	Algorithm string `json:"algorithm"`
	Limit     int64  `json:"limit"`
	Remaining *int64 `json:"remaining"`
}

// RejectedError is returned for a request that the service rejects as invalid or not permitted, in every
// failure mode: a wrong token must not let requests pass. Nothing was charged.
type RejectedError struct {
	Status int
	Detail string
}

func (e *RejectedError) Error() string {
	return fmt.Sprintf("headgate replied %d: %s", e.Status, e.Detail)
}

// Client asks a service. Safe for use by several goroutines; one serves the whole program.
type Client struct {
	url     string
	options Options
	mu      sync.Mutex
	denials map[string]*list.Element
	order   *list.List
}

type denial struct {
	body             string
	decision         Decision
	expires, retryAt time.Time
}

// New creates a client of the service at an address such as https://headgate.internal:8080.
func New(address string, options Options) (*Client, error) {
	parsed, err := url.Parse(strings.TrimRight(address, "/"))
	if err != nil || parsed.Host == "" || parsed.User != nil || (parsed.Scheme != "http" && parsed.Scheme != "https") {
		return nil, errors.New("headgate: the URL must be like https://headgate.internal:8080, without user and password")
	}
	if options.Deadline == 0 {
		options.Deadline = 250 * time.Millisecond
	}
	if options.MaxDenialAge == 0 {
		options.MaxDenialAge = time.Second
	}
	if options.HTTP == nil {
		transport := http.DefaultTransport.(*http.Transport).Clone()
		transport.MaxIdleConnsPerHost = 64
		options.HTTP = &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		}}
	}
	return &Client{url: parsed.String(), options: options, denials: map[string]*list.Element{}, order: list.New()}, nil
}

// Check decides a request and charges it if it is allowed. The error is nil or a *RejectedError. A deadline of
// the context applies if it is earlier than that of the client.
func (c *Client) Check(ctx context.Context, request Request) (Decision, error) {
	reply, err := c.decide(ctx, "/v1/check", request)
	return reply.Decision, err
}

// Peek decides like Check and charges nothing.
func (c *Client) Peek(ctx context.Context, request Request) (Decision, error) {
	reply, err := c.decide(ctx, "/v1/peek", request)
	return reply.Decision, err
}

// Slot has the slots that a request has acquired. Release it with defer.
type Slot struct {
	Decision
	client *Client
	once   sync.Once
}

// Acquire decides like Check and acquires a slot of each concurrency limit.
func (c *Client) Acquire(ctx context.Context, request Request) (*Slot, error) {
	reply, err := c.decide(ctx, "/v1/slots", request)
	return &Slot{Decision: reply.Decision, client: c}, err
}

// Release releases the slots; later calls have no effect. If the service is unavailable, they expire.
func (s *Slot) Release() {
	s.once.Do(func() {
		if s.SlotID == "" {
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), s.client.options.Deadline)
		defer cancel()
		_, _, _ = s.client.send(ctx, http.MethodDelete, "/v1/slots/"+url.PathEscape(s.SlotID), nil)
	})
}

// reply is a decision, and the reservation that was made.
type reply struct {
	Decision
	granted
	Allowed *bool `json:"allowed"`
}

func (c *Client) decide(ctx context.Context, path string, request any) (reply, error) {
	body, err := json.Marshal(request)
	if err != nil {
		return reply{}, &RejectedError{400, err.Error()}
	}
	cache := path == "/v1/check" && c.options.MaxDenialAge > 0
	sent := time.Now() // the retry time counts from before the request, so that it is never too long
	if cache {
		if found, ok := c.repeated(string(body), sent); ok {
			return reply{Decision: found}, nil
		}
	}
	ctx, cancel := context.WithTimeout(ctx, c.options.Deadline)
	defer cancel()
	var made reply
	err = c.exchange(ctx, http.MethodPost, path, body, &made, false)
	if err == nil && (made.Allowed == nil || made.Source == "") {
		err = fmt.Errorf("%s replied with a body that is not a decision", c.url)
	}
	if rejected := (*RejectedError)(nil); errors.As(err, &rejected) {
		return reply{}, rejected
	} else if err != nil {
		return reply{Decision: c.failed(err)}, nil
	}
	made.Decision.Allowed = *made.Allowed
	if cache {
		c.remember(string(body), made.Decision, sent)
	}
	return made, nil
}

// exchange sends a request and reads the response, into nothing if that is nil. If repeat is set, a request whose
// response is lost is sent again, once. The error is a *RejectedError, or the reason why the service is unavailable.
func (c *Client) exchange(ctx context.Context, method, path string, body []byte, into any, repeat bool) error {
	status, text, err := c.send(ctx, method, path, body)
	if err != nil && status == 0 && repeat && ctx.Err() == nil {
		status, text, err = c.send(ctx, method, path, body)
	}
	if err != nil {
		return err
	}
	if status >= 300 {
		var problem struct {
			Allowed *bool  `json:"allowed"`
			Detail  string `json:"detail"`
		}
		err := json.Unmarshal(text, &problem)
		if err == nil && problem.Allowed == nil && status >= 400 && status < 500 && problem.Detail != "" {
			return &RejectedError{status, problem.Detail}
		}
		if err != nil || problem.Allowed == nil {
			return fmt.Errorf("%s replied %d, which is not a response of Headgate", c.url, status)
		}
	}
	if into == nil {
		return nil
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("%s replied %d with a body that is not Headgate's: %w", c.url, status, err)
	}
	return nil
}

func (c *Client) failed(err error) Decision {
	decision := Decision{Allowed: !c.options.FailClosed, Source: "fallback", Failure: err}
	if c.options.FailClosed {
		retry := int64(1000)
		decision.RetryAfterMs = &retry
	}
	return decision
}

// send sends a request once. Go's transport repeats none with a body that may have reached the server. The status is 0
// if the response is lost.
func (c *Client) send(ctx context.Context, method, path string, body []byte) (int, []byte, error) {
	request, err := http.NewRequestWithContext(ctx, method, c.url+path, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if c.options.Token != "" {
		request.Header.Set("Authorization", "Bearer "+c.options.Token)
	}
	response, err := c.options.HTTP.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxResponse+1))
	if err != nil {
		return 0, nil, err
	}
	if len(text) > maxResponse {
		err = fmt.Errorf("%s replied with more than %d bytes", c.url, maxResponse)
	}
	return response.StatusCode, text, err
}

func (c *Client) repeated(body string, now time.Time) (Decision, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	element, ok := c.denials[body]
	if !ok {
		return Decision{}, false
	}
	found := element.Value.(*denial)
	if !now.Before(found.expires) {
		c.order.Remove(element)
		delete(c.denials, body)
		return Decision{}, false
	}
	decision := found.decision
	decision.Source = "cache"
	if decision.RetryAfterMs != nil {
		left := found.retryAt.Sub(now).Milliseconds() + 1
		decision.RetryAfterMs = &left
	}
	return decision, true
}

func (c *Client) remember(body string, decision Decision, sent time.Time) {
	if decision.Allowed || decision.Impossible || decision.Source == "fallback" {
		return
	}
	for _, limit := range decision.Limits {
		if !timed[limit.Algorithm] {
			return
		}
	}
	entry := &denial{body: body, decision: decision, expires: sent.Add(c.options.MaxDenialAge)}
	if decision.RetryAfterMs != nil {
		entry.retryAt = sent.Add(time.Duration(*decision.RetryAfterMs) * time.Millisecond)
		if entry.retryAt.Before(entry.expires) {
			entry.expires = entry.retryAt
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if old, ok := c.denials[body]; ok {
		c.order.Remove(old)
	}
	c.denials[body] = c.order.PushBack(entry)
	if c.order.Len() > maxDenials {
		oldest := c.order.Remove(c.order.Front()).(*denial)
		delete(c.denials, oldest.body)
	}
}
