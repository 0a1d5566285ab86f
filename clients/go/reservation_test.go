package headgate

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func team() Request {
	return Request{Subject: map[string]string{"team": unique("t")}}
}

func tokens(count int64) map[string]int64 {
	return map[string]int64{"tokens": count}
}

func reserve(t *testing.T, c *Client, request Request, count int64) *Reservation {
	t.Helper()
	request.Costs = tokens(count)
	reservation, err := c.Reserve(background, request, 30*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	return reservation
}

func update(t *testing.T, r *Reservation, usage UsageUpdate) ReservationUpdate {
	t.Helper()
	state, err := r.Update(background, usage)
	if err != nil {
		t.Fatal(err)
	}
	return state
}

func settle(t *testing.T, r *Reservation, count int64) Settled {
	t.Helper()
	settled, err := r.Settle(background, Settlement{Actual: tokens(count)})
	if err != nil {
		t.Fatal(err)
	}
	return settled
}

// expectFree checks the tokens of 1000 that are neither charged nor reserved.
func expectFree(t *testing.T, request Request, want int64) {
	t.Helper()
	if decision, err := service(t).Peek(background, request); err != nil || *decision.Remaining != want {
		t.Fatalf("want %d free, got %+v, %v", want, decision, err)
	}
}

func closedAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return "http://" + listener.Addr().String()
}

// losing forwards requests to the service, and ends the connection instead of each response that loses selects.
func losing(t *testing.T, loses func(r *http.Request, count int) bool) (address string, requests func() []string) {
	t.Helper()
	var mu sync.Mutex
	var seen []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		forwarded, err := http.NewRequest(r.Method, os.Getenv("HEADGATE_URL")+r.URL.EscapedPath(), r.Body)
		if err != nil {
			t.Error(err)
			return
		}
		forwarded.Header = r.Header.Clone()
		response, err := http.DefaultClient.Do(forwarded)
		if err != nil {
			t.Error(err)
			return
		}
		defer response.Body.Close()
		mu.Lock()
		seen = append(seen, r.Method)
		count := len(seen)
		mu.Unlock()
		if loses(r, count) {
			panic(http.ErrAbortHandler)
		}
		w.WriteHeader(response.StatusCode)
		_, _ = io.Copy(w, response.Body)
	}))
	t.Cleanup(server.Close)
	return server.URL, func() []string {
		mu.Lock()
		defer mu.Unlock()
		return append([]string(nil), seen...)
	}
}

func TestSettlementReturnsTheRestAndARepetitionHasTheSameAnswer(t *testing.T) {
	c, subject := service(t), team()
	reservation := reserve(t, c, subject, 600)
	if !reservation.Allowed || !reservation.Backed() || reservation.Reserved["tokens"] != 600 || reservation.ExpiresAtMs < 1_700_000_000_000 {
		t.Fatalf("%+v", reservation)
	}
	expectFree(t, subject, 400)
	first := settle(t, reservation, 350)
	if first.Status != "settled" || first.Charged["tokens"] != 350 || first.Returned["tokens"] != 250 {
		t.Fatalf("%+v", first)
	}
	if again := settle(t, reservation, 999); fmt.Sprint(again) != fmt.Sprint(first) {
		t.Fatalf("%+v, then %+v", first, again)
	}
	if err := reservation.Cancel(background); err != nil {
		t.Fatal(err)
	}
	expectFree(t, subject, 650)
}

func TestUpdateStopsTheRequestWhenNothingIsLeft(t *testing.T) {
	reservation := reserve(t, service(t), team(), 600)
	state := update(t, reservation, UsageUpdate{Used: tokens(200)})
	if !state.Continue || state.Status != "open" || state.Reserved["tokens"] != 400 || state.ExpiresAtMs < reservation.ExpiresAtMs {
		t.Fatalf("%+v", state)
	}
	if state := update(t, reservation, UsageUpdate{Used: tokens(300), More: tokens(100)}); !state.Grown {
		t.Fatalf("%+v", state)
	}
	if state := update(t, reservation, UsageUpdate{Used: tokens(1000)}); state.Continue {
		t.Fatalf("%+v", state)
	}
	settle(t, reservation, 1000)
	if state := update(t, reservation, UsageUpdate{Used: tokens(1000)}); state.Status != "settled" || state.Continue {
		t.Fatalf("%+v", state)
	}
}

func TestCloseCancelsOrSettlesTheReportedUsage(t *testing.T) {
	c, subject := service(t), team()
	func() {
		reservation := reserve(t, c, subject, 600)
		defer reservation.Close()
		expectFree(t, subject, 400)
	}()
	expectFree(t, subject, 1000)
	func() {
		reservation := reserve(t, c, subject, 600)
		defer reservation.Close()
		update(t, reservation, UsageUpdate{Used: tokens(100)})
	}()
	expectFree(t, subject, 900)
	func() {
		reservation := reserve(t, c, subject, 600)
		defer reservation.Close()
		settle(t, reservation, 50)
	}()
	expectFree(t, subject, 850)
}

func TestCloseSendsNothingAfterASettlementThatFailed(t *testing.T) {
	address, requests := losing(t, func(r *http.Request, _ int) bool { return strings.HasSuffix(r.URL.Path, "/settle") })
	reservation := reserve(t, client(t, address, Options{FailClosed: true}), team(), 600)
	if settled := settle(t, reservation, 100); settled.Status != "unavailable" {
		t.Fatalf("%+v", settled)
	}
	reservation.Close()
	if seen := requests(); fmt.Sprint(seen) != "[POST POST POST]" { // and no cancellation
		t.Fatal(seen)
	}
}

func TestDeniedReservationHoldsNothing(t *testing.T) {
	c, subject := service(t), team()
	reserve(t, c, subject, 600)
	denied := reserve(t, c, subject, 600)
	if denied.Allowed || denied.Backed() || denied.ID != "" || denied.Violated[0] != "model-tokens/tokens" || *denied.RetryAfterMs <= 0 {
		t.Fatalf("%+v", denied)
	}
	_, updateErr := denied.Update(background, UsageUpdate{Used: tokens(1)})
	_, settleErr := denied.Settle(background, Settlement{Actual: tokens(1)})
	for _, err := range []error{updateErr, settleErr, denied.Cancel(background)} {
		if !errors.Is(err, ErrDenied) {
			t.Fatal(err)
		}
	}
	denied.Close()
	expectFree(t, subject, 400)
}

func TestUsageIsChargedBeyondTheLimit(t *testing.T) {
	c, subject := service(t), team()
	if decision, err := c.ReportUsage(background, Request{Subject: subject.Subject, Costs: tokens(1200)}); err != nil || !decision.Allowed {
		t.Fatalf("%+v, %v", decision, err)
	}
	if reserve(t, c, subject, 1).Allowed {
		t.Fatal("reserved beyond the limit")
	}
}

func TestAnyProcessSettlesByTheID(t *testing.T) {
	made := reserve(t, service(t), team(), 600)
	if settled := settle(t, service(t).Reservation(made.ID), 10); settled.Returned["tokens"] != 590 {
		t.Fatalf("%+v", settled)
	}
}

func TestUnknownIDsAreRejected(t *testing.T) {
	c := client(t, os.Getenv("HEADGATE_URL"), Options{})
	made := reserve(t, c, team(), 1).ID
	altered := made[:len(made)-4] + strings.Map(func(r rune) rune { return r ^ 1 }, made[len(made)-4:])
	for _, id := range []string{altered, "x", "", "a/b", "../check", "..", "a?b#c", "a b\r\nX: y", "%2F", strings.Repeat("ü", 100), strings.Repeat("x", 5000)} {
		reservation := c.Reservation(id)
		_, updateErr := reservation.Update(background, UsageUpdate{Used: tokens(1)})
		_, settleErr := reservation.Settle(background, Settlement{Actual: tokens(1)})
		for _, err := range []error{updateErr, settleErr, reservation.Cancel(background)} {
			if rejected := (*RejectedError)(nil); !errors.As(err, &rejected) || rejected.Status/100 != 4 || rejected.Status == 400 {
				t.Errorf("%.10q: %v", id, err)
			}
		}
	}
}

func TestInvalidCostsAreRejectedAndChargeNothing(t *testing.T) {
	c, subject := client(t, os.Getenv("HEADGATE_URL"), Options{}), team()
	reservation := reserve(t, c, subject, 600)
	for _, invalid := range []int64{-1, math.MinInt64, 1<<53 + 1, math.MaxInt64} {
		request := Request{Subject: subject.Subject, Costs: tokens(invalid)}
		_, reserveErr := c.Reserve(background, request, 0)
		_, usageErr := c.ReportUsage(background, request)
		_, updateErr := reservation.Update(background, UsageUpdate{Used: tokens(invalid)})
		_, settleErr := reservation.Settle(background, Settlement{Actual: tokens(invalid)})
		for _, err := range []error{reserveErr, usageErr, updateErr, settleErr} {
			if rejected := (*RejectedError)(nil); !errors.As(err, &rejected) || rejected.Status != 400 {
				t.Errorf("%d: %v", invalid, err)
			}
		}
	}
	for _, ttl := range []time.Duration{time.Microsecond, -time.Second, 1000 * time.Hour} {
		if _, err := c.Reserve(background, subject, ttl); err == nil {
			t.Errorf("%s is accepted", ttl)
		}
	}
	expectFree(t, subject, 400)
}

func TestFailureModeDecidesReservationsWithoutAService(t *testing.T) {
	address := closedAddress(t)
	closed, open := client(t, address, Options{FailClosed: true}), client(t, address, Options{})
	if denied := reserve(t, closed, team(), 600); denied.Allowed || denied.Backed() || denied.Failure == nil {
		t.Fatalf("%+v", denied)
	}
	if decision, err := open.ReportUsage(background, team()); err != nil || decision.Failure == nil {
		t.Fatalf("%+v, %v", decision, err)
	}
	local := reserve(t, open, team(), 600)
	if !local.Allowed || local.Backed() || local.ID != "" || len(local.Reserved) != 0 {
		t.Fatalf("%+v", local)
	}
	if state := update(t, local, UsageUpdate{Used: tokens(1_000_000)}); !state.Continue || state.Status != "local" {
		t.Fatalf("%+v", state)
	}
	if settled := settle(t, local, 350); settled.Status != "local" || settled.Failure == nil {
		t.Fatalf("%+v", settled)
	}
	if err := local.Cancel(background); err != nil {
		t.Fatal(err)
	}
	local.Close()
	for _, c := range []*Client{closed, open} {
		reservation := c.Reservation("some-id")
		if state := update(t, reservation, UsageUpdate{Used: tokens(1)}); state.Continue != (c == open) || state.Status != "unavailable" || state.Failure == nil {
			t.Fatalf("%+v", state)
		}
		if settled := settle(t, reservation, 1); settled.Status != "unavailable" || settled.Failure == nil {
			t.Fatalf("%+v", settled)
		}
	}
}

func TestSettlementAndCancellationAreRepeatedOnceIfTheResponseIsLost(t *testing.T) {
	for name, end := range map[string]func(*Reservation) Settled{
		"settle": func(r *Reservation) Settled { return settle(t, r, 100) },
		"cancel": func(r *Reservation) Settled { _ = r.Cancel(background); return Settled{} },
		"close":  func(r *Reservation) Settled { r.Close(); return Settled{} },
	} {
		address, requests := losing(t, func(r *http.Request, count int) bool { return count == 2 })
		subject := team()
		settled := end(reserve(t, client(t, address, Options{FailClosed: true}), subject, 600))
		if seen := requests(); len(seen) != 3 || seen[1] != seen[2] {
			t.Fatalf("%s: %v", name, seen)
		}
		if name == "settle" {
			if settled.Status != "settled" || settled.Failure != nil {
				t.Fatalf("%+v", settled)
			}
			expectFree(t, subject, 900)
		} else {
			expectFree(t, subject, 1000)
		}
	}
}

func TestNothingElseIsRepeated(t *testing.T) {
	address, requests := losing(t, func(*http.Request, int) bool { return true })
	c := client(t, address, Options{FailClosed: true})
	if reservation := reserve(t, c, team(), 1); reservation.Failure == nil {
		t.Fatalf("%+v", reservation)
	}
	if decision, err := c.ReportUsage(background, team()); err != nil || decision.Failure == nil {
		t.Fatalf("%+v, %v", decision, err)
	}
	update(t, c.Reservation("some-id"), UsageUpdate{Used: tokens(1)})
	if seen := requests(); fmt.Sprint(seen) != "[POST POST PATCH]" {
		t.Fatal(seen)
	}
	settle(t, c.Reservation("some-id"), 1)
	if seen := requests(); len(seen) != 5 { // twice, and no more
		t.Fatal(seen)
	}
}

func TestSilentServiceCostsASettlementTheDeadline(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	c := client(t, "http://"+silent.Addr().String(), Options{Deadline: 50 * time.Millisecond})
	if settled := settle(t, c.Reservation("some-id"), 1); !errors.Is(settled.Failure, context.DeadlineExceeded) {
		t.Fatalf("%+v", settled)
	}
}

func TestSettlementOfACancelledContextIsSent(t *testing.T) {
	c, subject := service(t), team()
	reservation := reserve(t, c, subject, 600)
	cancelled, cancel := context.WithCancel(background)
	cancel()
	if settled, err := reservation.Settle(cancelled, Settlement{Actual: tokens(100)}); err != nil || settled.Status != "settled" {
		t.Fatalf("%+v, %v", settled, err)
	}
	expectFree(t, subject, 900)
}

func TestUnusualResponsesAreNoReservation(t *testing.T) {
	bodies := []string{"", "<html>", "[]", "{}", "null", `{"allowed":true,"source":"store","limits":[]}`,
		`{"allowed":true,"source":"store","limits":[],"id":7,"reserved":{},"expiresAtMs":1}`,
		`{"allowed":true,"source":"store","limits":[],"id":"x","reserved":{"tokens":"1"},"expiresAtMs":1}`,
		`{"continue":"yes","status":7}`, strings.Repeat("[", 100_000), `{"status":"` + strings.Repeat("x", 2<<20) + `"}`}
	for _, body := range bodies {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = fmt.Fprint(w, body)
		}))
		c := client(t, server.URL, Options{FailClosed: true})
		if reservation := reserve(t, c, team(), 1); reservation.Allowed {
			t.Errorf("%.60q is a reservation: %+v", body, reservation)
		}
		if state := update(t, c.Reservation("x"), UsageUpdate{Used: tokens(1)}); state.Continue || state.Status != "unavailable" {
			t.Errorf("%.60q is an update: %+v", body, state)
		}
		if settled := settle(t, c.Reservation("x"), 1); settled.Status != "unavailable" {
			t.Errorf("%.60q is a settlement: %+v", body, settled)
		}
		server.Close()
	}
}

func TestExactlyTheLimitIsReservedByManyGoroutines(t *testing.T) {
	c, request := service(t), team()
	request.Costs = tokens(100)
	var reserved atomic.Int64
	var group sync.WaitGroup
	for i := 0; i < 30; i++ {
		group.Add(1)
		go func() {
			defer group.Done()
			if reservation, err := c.Reserve(background, request, 0); err == nil && reservation.Allowed {
				reserved.Add(1)
			}
		}()
	}
	group.Wait()
	if reserved.Load() != 10 {
		t.Fatalf("reserved %d of 10", reserved.Load())
	}
}

// model stands for a call to a language model, which streams its answer, one token in a line.
func model(_ context.Context, prompt string) io.Reader {
	return strings.NewReader(strings.ReplaceAll(prompt, " ", "\n"))
}

func ExampleClient_Reserve() {
	client, err := New(os.Getenv("HEADGATE_URL"), Options{Token: os.Getenv("HEADGATE_TOKEN"), Deadline: 30 * time.Second})
	if err != nil {
		panic(err)
	}
	ctx, subject := context.Background(), map[string]string{"team": unique("t")}

	stream := func() error {
		reservation, err := client.Reserve(ctx, Request{Subject: subject, Costs: map[string]int64{"tokens": 600}}, time.Minute)
		if err != nil {
			return err
		}
		defer reservation.Close()
		if !reservation.Allowed {
			return errors.New("too many tokens")
		}
		used := int64(0)
		for answer := bufio.NewScanner(model(ctx, "once upon a time")); answer.Scan(); {
			used++
			state, err := reservation.Update(ctx, UsageUpdate{Used: map[string]int64{"tokens": used}})
			if err != nil || !state.Continue {
				break // nothing is left of the limit
			}
		}
		settled, err := reservation.Settle(ctx, Settlement{Actual: map[string]int64{"tokens": used}})
		fmt.Println(settled.Charged["tokens"], settled.Returned["tokens"])
		return err
	}
	fmt.Println(stream())
	// Output:
	// 4 596
	// <nil>
}
