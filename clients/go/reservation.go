package headgate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"sync"
	"time"
)

// ErrDenied is returned by the methods of a reservation that was denied.
var ErrDenied = errors.New("headgate: the reservation was denied, so that there is nothing to update or settle; check Allowed")

// UsageUpdate is the usage of a reservation since the beginning.
type UsageUpdate struct {
	Used map[string]int64 `json:"used,omitempty"`
	Cost *int64           `json:"cost,omitempty"` // the usage of limits without a named cost
	More map[string]int64 `json:"more,omitempty"` // permits to add: all of them, or none
}

// ReservationUpdate is the state of a reservation after an update.
type ReservationUpdate struct {
	Continue    bool             `json:"continue"` // false if nothing is left for the request, which should end
	Status      string           `json:"status"`   // open, settled, expired or local; unavailable if the service did not answer
	Reserved    map[string]int64 `json:"reserved"` // what is left of the reservation
	Grown       bool             `json:"grown"`    // whether the permits of More were added
	ExpiresAtMs int64            `json:"expiresAtMs"`
	Failure     error            `json:"-"` // why the service did not answer; nil if it did
}

// Settlement is the real cost of a request.
type Settlement struct {
	Actual map[string]int64 `json:"actual,omitempty"`
	Cost   *int64           `json:"cost,omitempty"` // the cost for limits without a named cost
}

// Settled is what a settlement charged and returned. A repetition has the same.
type Settled struct {
	Charged  map[string]int64 `json:"charged"`
	Returned map[string]int64 `json:"returned"`
	Status   string           `json:"status"` // settled or local; unavailable if the service did not answer
	Failure  error            `json:"-"`      // why the service did not answer; the reservation expires unless it is settled again
}

// Reservation has the permits that the service holds for a request until its real cost is known. Close it with defer.
// Safe for use by several goroutines.
//
// While the service is unavailable and FailClosed is not set, a reservation is allowed and not Backed: updates let the
// request continue, and settling and cancelling do nothing.
type Reservation struct {
	Decision
	ID          string           // by which any process may continue it; empty if it was denied or is not backed
	Reserved    map[string]int64 // the permits by cost; fewer than requested if the rule bounds them
	Requested   map[string]int64 // nil unless that is more than Reserved
	ExpiresAtMs int64            // by the clock of the service; an update returns a later time
	client      *Client
	mu          sync.Mutex
	used        *Settlement
	ended       bool
}

// granted is what a reservation adds to its decision.
type granted struct {
	Reserved    map[string]int64 `json:"reserved"`
	Requested   map[string]int64 `json:"requested"`
	ExpiresAtMs int64            `json:"expiresAtMs"`
}

// Reserve reserves an estimate of the costs of a request. It expires after the time to live unless it is updated: after
// that of the rules if it is 0 or longer. The error is nil or a *RejectedError.
func (c *Client) Reserve(ctx context.Context, request Request, ttl time.Duration) (*Reservation, error) {
	body := struct {
		Request
		TTLMs *int64 `json:"ttlMs,omitempty"`
	}{Request: request}
	if ttl != 0 {
		ms := ttl.Milliseconds()
		body.TTLMs = &ms
	}
	made, err := c.decide(ctx, "/v1/reservations", body)
	id := made.SlotID
	if err == nil && made.Decision.Allowed && made.Failure == nil && id == "" {
		made = reply{Decision: c.failed(fmt.Errorf("%s replied with a reservation without an id", c.url))}
	}
	made.SlotID = ""
	return &Reservation{Decision: made.Decision, ID: id, Reserved: made.Reserved, Requested: made.Requested,
		ExpiresAtMs: made.ExpiresAtMs, client: c}, err
}

// Reservation returns a reservation that another process has made, by its id. Sends nothing.
func (c *Client) Reservation(id string) *Reservation {
	return &Reservation{Decision: Decision{Allowed: true}, ID: id, client: c}
}

// ReportUsage charges usage after the fact, even beyond the limits. If Failure is not nil, it may not be charged.
func (c *Client) ReportUsage(ctx context.Context, request Request) (Decision, error) {
	reply, err := c.decide(ctx, "/v1/usage", request)
	return reply.Decision, err
}

// Backed returns whether the service holds permits for the request.
func (r *Reservation) Backed() bool {
	return r.Allowed && r.Failure == nil
}

// Update reports the usage since the beginning and extends the expiry. While the service is unavailable, FailClosed
// decides whether to continue. The error is nil, ErrDenied or a *RejectedError.
func (r *Reservation) Update(ctx context.Context, usage UsageUpdate) (ReservationUpdate, error) {
	r.mu.Lock()
	r.used = &Settlement{Actual: maps.Clone(usage.Used), Cost: usage.Cost}
	r.mu.Unlock()
	var state struct {
		ReservationUpdate
		Continue *bool `json:"continue"`
	}
	failure, err := r.send(ctx, http.MethodPatch, "", usage, &state)
	if err == nil && failure == nil && (state.Continue == nil || state.Status == "") {
		failure = fmt.Errorf("%s replied with a body that is not an update", r.client.url)
	}
	if err != nil {
		return ReservationUpdate{}, err
	}
	if failure != nil {
		return ReservationUpdate{Continue: !r.client.options.FailClosed, Status: r.failureStatus(), Failure: failure}, nil
	}
	state.ReservationUpdate.Continue = *state.Continue
	return state.ReservationUpdate, nil
}

// Settle charges the real cost and returns the rest. It is sent even if the context has been cancelled, since a request
// whose client has gone is charged, too; and again, once, if the response is lost. The error is nil, ErrDenied or a
// *RejectedError.
func (r *Reservation) Settle(ctx context.Context, actual Settlement) (Settled, error) {
	var settled Settled
	failure, err := r.end(ctx, http.MethodPost, "/settle", actual, &settled)
	if err == nil && failure == nil && settled.Status == "" {
		failure = fmt.Errorf("%s replied with a body that is not a settlement", r.client.url)
	}
	if err != nil {
		return Settled{}, err
	}
	if failure != nil {
		return Settled{Status: r.failureStatus(), Failure: failure}, nil
	}
	return settled, nil
}

// Cancel returns everything. It is sent like a settlement. If the service is unavailable, the reservation expires.
func (r *Reservation) Cancel(ctx context.Context) error {
	_, err := r.end(ctx, http.MethodDelete, "", nil, nil)
	return err
}

// Close settles the usage that was last reported, or cancels if none was. It has no effect after Settle and Cancel.
// If the service is unavailable, the reservation expires.
func (r *Reservation) Close() {
	r.mu.Lock()
	used, ended := r.used, r.ended
	r.mu.Unlock()
	switch {
	case ended || !r.Backed():
	case used != nil:
		_, _ = r.Settle(context.Background(), *used)
	default:
		_ = r.Cancel(context.Background())
	}
}

func (r *Reservation) end(ctx context.Context, method, suffix string, body, into any) (failure, err error) {
	r.mu.Lock()
	r.ended = true
	r.mu.Unlock()
	return r.send(context.WithoutCancel(ctx), method, suffix, body, into)
}

// send returns why the service is unavailable, or the error for the caller. All but updates are idempotent by the id.
func (r *Reservation) send(ctx context.Context, method, suffix string, body, into any) (failure, err error) {
	if !r.Allowed {
		return nil, ErrDenied
	}
	if !r.Backed() {
		return r.Failure, nil
	}
	var text []byte
	if body != nil {
		if text, err = json.Marshal(body); err != nil {
			return nil, &RejectedError{400, err.Error()}
		}
	}
	ctx, cancel := context.WithTimeout(ctx, r.client.options.Deadline)
	defer cancel()
	path := "/v1/reservations/" + url.PathEscape(r.ID) + suffix
	failure = r.client.exchange(ctx, method, path, text, into, method != http.MethodPatch)
	if rejected := (*RejectedError)(nil); errors.As(failure, &rejected) {
		return nil, rejected
	}
	return failure, nil
}

func (r *Reservation) failureStatus() string {
	if r.Backed() {
		return "unavailable"
	}
	return "local"
}
