package io.headgate.server.http.ui;

import io.headgate.RateLimiter;
import io.headgate.cluster.ClusterStatus;
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

/** Handles the service info and health endpoints. */
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
          "GET /v1/stats/history",
          "GET /v1/stats/rules",
          "GET /v1/stats/rules/{id}",
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

  private final RuleRepository repository;
  private final StoreView store;
  private final AccessControl access;
  private final Readiness readiness;
  private final EventLoopWatchdog watchdog;

  /**
   * @param watchdog decides whether the service is live
   */
  public ServiceInfoHandlers(
      RateLimiter limiter,
      RuleRepository repository,
      AccessControl access,
      Readiness readiness,
      EventLoopWatchdog watchdog) {
    this.watchdog = watchdog;
    this.access = access;
    this.repository = repository;
    this.store = new StoreView(limiter.store());
    this.readiness = readiness;
  }

  /** Answers with the name of the service and its endpoints. */
  void root(Exchange exchange, byte[] body) {
    var out = new JsonWriter().begin();
    out.name("service").value("Headgate");
    out.name("what").value("Decides, for a whole fleet at once, whether a request may go ahead.");
    out.name("try").value("curl --json '{\"key\":\"user:42\"}' http://127.0.0.1:8080/v1/check");
    out.name("endpoints").value(ENDPOINTS);
    exchange.answer(200, MediaTypes.JSON, out.end());
  }

  /** Answers with the role of the token, so that the dashboard need not probe for it. */
  public void whoami(Exchange exchange, byte[] body) {
    var identity = access.identify(exchange.requestHeader("Authorization"), exchange.peer());
    var out = new JsonWriter().begin();
    out.name("role").value(identity.role()).name("guarded").value(identity.guarded());
    out.textOrNull("name", Optional.of(identity.name()).filter(name -> !name.isEmpty()));
    exchange.header("Cache-Control", "no-store");
    exchange.answer(200, MediaTypes.JSON, out.end());
  }

  /** Answers 503 if any event loop is stuck. The one that answers is not. */
  public void live(Exchange exchange, byte[] body) {
    boolean up = watchdog.stuckLoops() == 0;
    var out = new JsonWriter().begin().name("status").value(up ? "up" : "stuck").end();
    exchange.answer(up ? 200 : 503, MediaTypes.JSON, out);
  }

  /**
   * Answers 503 once the service stops. It stays ready while the store is unavailable, since each
   * rule's failure policy decides then. Addresses and errors are included only for clients that may
   * read.
   */
  public void ready(Exchange exchange, byte[] body) {
    boolean detailed = access.allows(Role.READ, exchange.requestHeader("Authorization"));
    boolean stopping = readiness.isStopping();
    var out = new JsonWriter().begin();
    out.name("status").value(stopping ? "stopping" : "ready");
    out.name("rules").value(repository.inForce().rules().rules().size());
    out.name("store").begin();
    out.name("kind").value(store.kind()).name("unavailable").value(store.isUnavailable());
    if (detailed) store.problem().ifPresent(problem -> out.name("problem").value(problem));
    store.unavailableSince().ifPresent(since -> out.name("since").value(since.toString()));
    if (detailed) store.cluster().ifPresent(cluster -> writeCluster(out, cluster));
    if (detailed) store.region().ifPresent(region -> RegionJson.write(out, region));
    out.end();
    writeRepository(out, detailed);
    exchange.answer(stopping ? 503 : 200, MediaTypes.JSON, out.end());
  }

  /** Writes the members of a cluster, and the partitions of the key space that they own. */
  private static void writeCluster(JsonWriter out, ClusterStatus cluster) {
    out.name("cluster").begin();
    out.name("majority").value(cluster.majority()).name("expected").value(cluster.expected());
    out.name("partitions").value(cluster.partitions());
    out.name("unowned").value(cluster.unowned()).name("unbacked").value(cluster.unbacked());
    out.name("members").beginList();
    for (var member : cluster.members()) {
      out.begin().name("id").value(member.id()).name("address").value(member.address());
      out.name("self").value(member.self());
      out.name("owned").value(member.owned()).name("backed").value(member.backed()).end();
    }
    out.endList();
    out.name("unreachable").beginList();
    for (var member : cluster.unreachable()) {
      out.begin().name("id").value(member.id()).name("address").value(member.address());
      out.name("since").value(member.since().toString()).end();
    }
    out.endList().end();
  }

  /** Writes where the rules are stored and whether that is available. */
  private void writeRepository(JsonWriter out, boolean detailed) {
    var condition = repository.condition();
    out.name("repository").begin();
    if (detailed) out.name("source").value(condition.source());
    out.name("revision").value(repository.inForce().number());
    out.name("readOnly").value(condition.readOnly().isPresent());
    out.name("unavailable").value(condition.problem().isPresent());
    if (detailed) {
      condition.readOnly().ifPresent(why -> out.name("reason").value(why));
      condition.problem().ifPresent(problem -> out.name("problem").value(problem));
      condition.ignoredFile().ifPresent(why -> out.name("ignoredFile").value(why));
    }
    out.end();
  }
}
