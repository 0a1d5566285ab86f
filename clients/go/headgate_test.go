package headgate

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// The tests run against a real service at HEADGATE_URL, which has the rules of clients/rules.yaml.

var background = context.Background()

func unique(prefix string) string {
	random := make([]byte, 8)
	_, _ = rand.Read(random)
	return prefix + hex.EncodeToString(random)
}

func client(t *testing.T, address string, options Options) *Client {
	t.Helper()
	if options.Deadline == 0 {
		options.Deadline = 30 * time.Second
	}
	if options.Token == "" {
		options.Token = os.Getenv("HEADGATE_TOKEN")
	}
	made, err := New(address, options)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func service(t *testing.T) *Client {
	return client(t, os.Getenv("HEADGATE_URL"), Options{FailClosed: true})
}

func check(t *testing.T, c *Client, request Request) Decision {
	t.Helper()
	decision, err := c.Check(background, request)
	if err != nil {
		t.Fatal(err)
	}
	return decision
}

func TestCheckChargesUntilTheLimitAndThenDenies(t *testing.T) {
	c, request := service(t), Request{Key: unique("user:")}
	for want := int64(2); want >= 0; want-- {
		if decision := check(t, c, request); !decision.Allowed || *decision.Remaining != want {
			t.Fatalf("want %d left, got %+v", want, decision)
		}
	}
	denied := check(t, c, request)
	if denied.Allowed || denied.Rule != "per-user" || denied.Source != "store" || *denied.RetryAfterMs < 1_100_000 {
		t.Fatalf("not the denial of the service: %+v", denied)
	}
	repeated := check(t, c, request)
	if repeated.Allowed || repeated.Source != "cache" || *repeated.RetryAfterMs > *denied.RetryAfterMs {
		t.Fatalf("not repeated: %+v", repeated)
	}
}

func TestPeekChargesNothing(t *testing.T) {
	c, request := service(t), Request{Key: unique("user:")}
	for i := 0; i < 2; i++ {
		if decision, err := c.Peek(background, request); err != nil || *decision.Remaining != 3 {
			t.Fatalf("%+v, %v", decision, err)
		}
	}
}

func TestNamedCostsAndImpossibleRequests(t *testing.T) {
	c, tenant := service(t), map[string]string{"tenant": unique("t")}
	if decision := check(t, c, Request{Subject: tenant, Costs: map[string]int64{"bytes": 400}}); *decision.Remaining != 600 {
		t.Fatalf("%+v", decision)
	}
	unused := check(t, c, Request{Subject: tenant, Costs: map[string]int64{"byte": 400}}).UnusedCosts
	if len(unused) != 1 || unused[0] != "byte" {
		t.Fatal(unused)
	}
	never := check(t, c, Request{Subject: tenant, Costs: map[string]int64{"bytes": 1001}})
	if never.Allowed || !never.Impossible || never.RetryAfterMs != nil {
		t.Fatalf("%+v", never)
	}
}

func TestExactlyTheLimitIsAdmittedByManyGoroutines(t *testing.T) {
	c, request := service(t), Request{Subject: map[string]string{"crowd": unique("c")}}
	var admitted atomic.Int64
	var group sync.WaitGroup
	for i := 0; i < 20; i++ {
		group.Add(1)
		go func() {
			defer group.Done()
			for j := 0; j < 10; j++ {
				if decision, err := c.Check(background, request); err == nil && decision.Allowed {
					admitted.Add(1)
				}
			}
		}()
	}
	group.Wait()
	if admitted.Load() != 50 {
		t.Fatalf("admitted %d of 50", admitted.Load())
	}
}

func TestSlotIsHeldUntilItIsReleased(t *testing.T) {
	c, request := service(t), Request{Subject: map[string]string{"job": unique("j")}}
	for i := 0; i < 2; i++ {
		func() {
			slot, err := c.Acquire(background, request)
			if err != nil || !slot.Allowed {
				t.Fatalf("%+v, %v", slot, err)
			}
			defer slot.Release()
			if second, _ := c.Acquire(background, request); second.Allowed {
				t.Fatal("two slots of one")
			}
		}()
	}
}

func TestWrongTokenIsRejectedInEveryMode(t *testing.T) {
	c := client(t, os.Getenv("HEADGATE_URL"), Options{Token: "wrong-secret"})
	_, err := c.Check(background, Request{Key: "user:42"})
	var rejected *RejectedError
	if !errors.As(err, &rejected) || rejected.Status != 401 || strings.Contains(err.Error(), "wrong-secret") {
		t.Fatal(err)
	}
}

func TestFailureModeDecidesWithoutAService(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := "http://" + listener.Addr().String()
	_ = listener.Close()
	if decision := check(t, client(t, address, Options{}), Request{Key: "user:42"}); !decision.Allowed || decision.Failure == nil {
		t.Fatalf("%+v", decision)
	}
	if decision := check(t, client(t, address, Options{FailClosed: true}), Request{Key: "user:42"}); decision.Allowed {
		t.Fatalf("%+v", decision)
	}
}

func TestSilentServiceCostsTheDeadline(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	c := client(t, "http://"+silent.Addr().String(), Options{Deadline: 50 * time.Millisecond})
	if decision := check(t, c, Request{Key: "user:42"}); !errors.Is(decision.Failure, context.DeadlineExceeded) {
		t.Fatalf("%+v", decision)
	}
}

func TestUnusualResponsesAreNoDecision(t *testing.T) {
	bodies := []string{"", "<html>", "[]", "{}", "null", `{"allowed":"yes","source":"store"}`, `{"allowed":true}`,
		strings.Repeat("[", 100_000), `{"allowed":true,"source":"store","x":"` + strings.Repeat("x", 2<<20) + `"}`}
	for _, body := range bodies {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = fmt.Fprint(w, body)
		}))
		if decision := check(t, client(t, server.URL, Options{FailClosed: true}), Request{Key: "user:42"}); decision.Allowed {
			t.Errorf("%.40q is a decision: %+v", body, decision)
		}
		server.Close()
	}
}

func TestRequestWithoutAResponseIsNotRepeated(t *testing.T) {
	var requests atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		requests.Add(1)
		panic(http.ErrAbortHandler)
	}))
	defer server.Close()
	if decision := check(t, client(t, server.URL, Options{FailClosed: true}), Request{Key: "user:42"}); decision.Allowed {
		t.Fatalf("%+v", decision)
	}
	if requests.Load() != 1 {
		t.Fatalf("%d requests", requests.Load())
	}
}

func TestMiddlewareDeniesAndHoldsSlots(t *testing.T) {
	c, job := service(t), map[string]string{"job": unique("j")}
	handler := c.Limit(func(r *http.Request) (Request, bool) {
		return Request{Subject: job}, r.URL.Path != "/free"
	})(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if decision, _ := c.Peek(background, Request{Subject: job}); decision.Allowed {
			t.Error("the request holds no slot")
		}
		w.WriteHeader(http.StatusNoContent)
	}))
	for i := 0; i < 2; i++ {
		recorder := httptest.NewRecorder()
		handler.ServeHTTP(recorder, httptest.NewRequest("GET", "/", nil))
		if recorder.Code != http.StatusNoContent {
			t.Fatal(recorder.Code)
		}
	}
	limited := c.Limit(StandardSubject)(http.NotFoundHandler())
	ip := fmt.Sprintf("[%s::1]:1", strings.TrimSuffix(unique("fd")[:4]+":"+unique("")[:4], ":"))
	for _, want := range []int{404, 404, 429} {
		request := httptest.NewRequest("POST", "/login", nil)
		request.RemoteAddr = ip
		recorder := httptest.NewRecorder()
		limited.ServeHTTP(recorder, request)
		if recorder.Code != want {
			t.Fatalf("want %d, got %d", want, recorder.Code)
		}
		if want == 429 && recorder.Header().Get("Retry-After") == "" {
			t.Fatal("no Retry-After")
		}
	}
}

func Example() {
	client, err := New(os.Getenv("HEADGATE_URL"), Options{Token: os.Getenv("HEADGATE_TOKEN"), Deadline: 30 * time.Second})
	if err != nil {
		panic(err)
	}
	decision, err := client.Check(context.Background(), Request{Key: unique("user:")})
	if err != nil {
		panic(err)
	}
	fmt.Println(decision.Allowed)
	slot, err := client.Acquire(context.Background(), Request{Subject: map[string]string{"job": unique("j")}})
	if err != nil {
		panic(err)
	}
	defer slot.Release()
	fmt.Println(slot.Allowed)
	// Output:
	// true
	// true
}

var nextSchema = regexp.MustCompile(`(?m)^    \w`)

func TestFieldsAreThoseOfTheAPI(t *testing.T) {
	response, err := http.Get(os.Getenv("HEADGATE_URL") + "/openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	document, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	for _, value := range []any{Request{}, Decision{}, Limit{}, granted{}, UsageUpdate{}, ReservationUpdate{}, Settlement{}, Settled{}} {
		described := reflect.TypeOf(value)
		name := map[string]string{"Request": "CheckRequest", "granted": "Reservation"}[described.Name()]
		if name == "" {
			name = described.Name()
		}
		_, schema, found := strings.Cut(string(document), "\n    "+name+":\n")
		if !found {
			t.Fatalf("the API has no schema %s", name)
		}
		schema = "\n" + schema[:nextSchema.FindStringIndex(schema)[0]]
		for i := 0; i < described.NumField(); i++ {
			field, _, _ := strings.Cut(described.Field(i).Tag.Get("json"), ",")
			if field != "-" && !strings.Contains(schema, "\n        "+field+":") {
				t.Errorf("%s has no %s in the API", name, field)
			}
		}
	}
}
