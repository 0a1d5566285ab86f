package io.headgate.server.http.ui;

import io.headgate.RateLimiter;
import io.headgate.server.api.AccessControl;
import io.headgate.server.api.EventLoopWatchdog;
import io.headgate.server.api.JsonWriter;
import io.headgate.server.api.Readiness;
import io.headgate.server.api.Role;
import io.headgate.server.http.protocol.MediaTypes;
import io.headgate.server.http.transport.Exchange;
import io.headgate.server.rules.RuleRepository;
import io.headgate.server.store.StoreView;
import java.util.List;
import java.util.Optional;

/** What this is, and how it is. */
public final class ServiceInfoHandlers {
  private static final List<String> ENDPOINTS =
      List.of(
          "POST /v1/check",
          "POST /v1/check/batch",
          "POST /v1/peek",
          "POST /v1/explain",
          "POST /v1/slots",
          "PUT /v1/slots/{id}",
          "DELETE /v1/slots/{id}",
          "POST /v1/reset",
          "POST /v1/playground",
          "POST /v1/what-if",
          "GET /v1/rules",
          "PUT /v1/rules",
          "GET /v1/rules/{id}",
          "PUT /v1/rules/{id}",
          "DELETE /v1/rules/{id}",
          "GET /v1/revisions",
          "GET /v1/revisions/{number}",
          "POST /v1/revisions/{number}/restore",
          "GET /v1/stats",
          "GET /v1/stream",
          "GET /v1/callers",
          "GET /v1/callers/{caller}",
          "GET /v1/whoami",
          "GET /v1/gate",
          "POST /api/ratelimit/check",
          "GET /health/live",
          "GET /health/ready",
          "GET /metrics",
          "GET /openapi.yaml");

  private final RuleRepository book;
  private final StoreView store;
  private final AccessControl access;
  private final Readiness readiness;
  private final EventLoopWatchdog watchdog;

  public ServiceInfoHandlers(
      RateLimiter limiter,
      RuleRepository book,
      AccessControl access,
      Readiness readiness,
      EventLoopWatchdog watchdog) {
    this.watchdog = watchdog;
    this.access = access;
    this.book = book;
    this.store = new StoreView(limiter.store());
    this.readiness = readiness;
  }

  void root(Exchange exchange, byte[] body) {
    var out = new JsonWriter().begin();
    out.name("service").value("Headgate");
    out.name("what").value("Decides, for a whole fleet at once, whether a request may go ahead.");
    out.name("try").value("curl --json '{\"key\":\"user:42\"}' http://127.0.0.1:8080/v1/check");
    out.name("endpoints").value(ENDPOINTS);
    exchange.answer(200, MediaTypes.JSON, out.end());
  }

  /** Says what the token is good for that is shown, so that a page need not try. */
  public void whoami(Exchange exchange, byte[] body) {
    var standing = access.standing(exchange.asked("Authorization"), exchange.peer());
    var out = new JsonWriter().begin();
    out.name("role").value(standing.role()).name("guarded").value(standing.guarded());
    out.textOrNothing("name", Optional.of(standing.name()).filter(name -> !name.isEmpty()));
    exchange.header("Cache-Control", "no-store");
    exchange.answer(200, MediaTypes.JSON, out.end());
  }

  /** Down where other event loops than the one that answers are stuck. */
  public void live(Exchange exchange, byte[] body) {
    boolean up = watchdog.stuck() == 0;
    var out = new JsonWriter().begin().name("status").value(up ? "up" : "stuck").end();
    exchange.answer(up ? 200 : 503, MediaTypes.JSON, out);
  }

  /**
   * Also ready while the store is away: the rules' policies decide. Where things are, and what is
   * wrong with them, is for those who may read.
   */
  public void ready(Exchange exchange, byte[] body) {
    boolean told = access.allows(Role.READ, exchange.asked("Authorization"));
    boolean stopping = readiness.isStopping();
    var out = new JsonWriter().begin();
    out.name("status").value(stopping ? "stopping" : "ready");
    out.name("rules").value(book.inForce().rules().rules().size());
    out.name("store").begin();
    out.name("kind").value(store.kind()).name("away").value(store.isUnavailable());
    if (told) store.problem().ifPresent(problem -> out.name("problem").value(problem));
    out.end();
    writeBook(out, told);
    exchange.answer(stopping ? 503 : 200, MediaTypes.JSON, out.end());
  }

  /** Where the rules are kept, and how that is. */
  private void writeBook(JsonWriter out, boolean told) {
    var condition = book.condition();
    out.name("book").begin();
    if (told) out.name("source").value(condition.source());
    out.name("revision").value(book.inForce().number());
    out.name("readOnly").value(condition.readOnly().isPresent());
    out.name("away").value(condition.problem().isPresent());
    if (told) {
      condition.readOnly().ifPresent(why -> out.name("reason").value(why));
      condition.problem().ifPresent(problem -> out.name("problem").value(problem));
    }
    out.end();
  }
}
