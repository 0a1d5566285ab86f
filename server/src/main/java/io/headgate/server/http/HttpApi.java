package io.headgate.server.http;

import static io.vertx.core.http.HttpMethod.DELETE;
import static io.vertx.core.http.HttpMethod.GET;
import static io.vertx.core.http.HttpMethod.OPTIONS;
import static io.vertx.core.http.HttpMethod.PATCH;
import static io.vertx.core.http.HttpMethod.POST;
import static io.vertx.core.http.HttpMethod.PUT;

import io.headgate.RateLimiter;
import io.headgate.server.api.AccessControl;
import io.headgate.server.api.ProblemDocument;
import io.headgate.server.api.Readiness;
import io.headgate.server.api.Role;
import io.headgate.server.http.admin.RevisionHandlers;
import io.headgate.server.http.admin.RuleChangeHandlers;
import io.headgate.server.http.admin.RuleHandlers;
import io.headgate.server.http.check.CheckHandlers;
import io.headgate.server.http.check.CheckService;
import io.headgate.server.http.check.ExplainHandlers;
import io.headgate.server.http.check.ForwardAuth;
import io.headgate.server.http.check.ForwardAuthHeaders;
import io.headgate.server.http.check.SlotHandlers;
import io.headgate.server.http.simulation.PlaygroundHandler;
import io.headgate.server.http.simulation.WhatIfHandler;
import io.headgate.server.http.stats.MetricsHandler;
import io.headgate.server.http.transport.ConnectionLimiter;
import io.headgate.server.http.transport.ConnectionLimits;
import io.headgate.server.http.transport.ConnectionTracker;
import io.headgate.server.http.transport.Exchange;
import io.headgate.server.http.transport.NonApiRequest;
import io.headgate.server.http.transport.Route;
import io.headgate.server.http.transport.Routes;
import io.headgate.server.http.ui.DashboardHandler;
import io.headgate.server.http.ui.OpenApiHandler;
import io.headgate.server.http.ui.ServiceInfoHandlers;
import io.headgate.server.rules.RecentCallers;
import io.headgate.server.rules.RuleRepository;
import io.headgate.server.stats.DecisionListener;
import io.headgate.server.trace.Tracing;
import io.headgate.store.Ticker;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/** The whole API, for the requests of one event loop. */
public final class HttpApi {
  private static final String GATE = "/v1/gate";

  private final Vertx vertx;
  private final AccessControl access;
  private final Readiness readiness;
  private final ConnectionTracker connections;
  private final ConnectionLimits limits;
  private final Tracing tracing;
  private final Routes routes;

  /**
   * @param witness hears of what is decided on this event loop
   * @param eventLoops how many there are, each with an API of its own
   */
  public HttpApi(
      Vertx vertx,
      RateLimiter limiter,
      RuleRepository book,
      RecentCallers callers,
      DecisionListener witness,
      SharedViews views,
      Ticker ticker,
      AccessControl access,
      ConnectionLimiter door,
      int eventLoops,
      Readiness readiness) {
    this.vertx = vertx;
    this.access = access;
    this.readiness = readiness;
    this.limits = door.limits();
    this.connections = new ConnectionTracker(limits, door.budget(), eventLoops);
    this.tracing = views.tracing();
    var asking = new CheckService(limiter, witness);
    var checks = new CheckHandlers(limiter, asking, ticker);
    var leases = new SlotHandlers(limiter, asking);
    var inspection = new ExplainHandlers(limiter, asking, access);
    var about = new ServiceInfoHandlers(limiter, book, access, readiness, readiness.watchdog());
    var pages = new DashboardHandler(about);
    var changes = new RuleChangeHandlers(book, callers, ticker, access);
    var rules = new RuleHandlers(book, changes);
    var revisions = new RevisionHandlers(book, changes);
    var playground = new PlaygroundHandler(views.trials());
    var whatIf = new WhatIfHandler(limiter, views.trials());
    var gate = new ForwardAuth(limiter, asking, door.proxies(), ticker);
    this.routes =
        new Routes()
            .traced(POST, "/v1/check", one(Role.CHECK, checks::check))
            .traced(POST, "/v1/check/batch", new Route(Role.CHECK, Route.BATCH, checks::batch))
            .add(POST, "/v1/peek", one(Role.PEEK, checks::peek))
            .add(POST, "/v1/explain", one(Role.READ, inspection::explain))
            .add(POST, "/v1/reset", one(Role.ADMIN, inspection::reset))
            .traced(POST, "/v1/slots", one(Role.CHECK, checks::check))
            .add(PUT, "/v1/slots/*", bare(Role.CHECK, leases::renew))
            .add(DELETE, "/v1/slots/*", bare(Role.CHECK, leases::release))
            .traced(POST, "/api/ratelimit/check", one(Role.CHECK, checks::tokens))
            .add(GET, "/v1/rules", bare(Role.READ_RULES, rules::list))
            .add(PUT, "/v1/rules", rules(rules::replaceAll))
            .add(GET, "/v1/rules/*", bare(Role.READ_RULES, rules::show))
            .add(PUT, "/v1/rules/*", rules(rules::put))
            .add(DELETE, "/v1/rules/*", bare(Role.CHANGE_RULES, rules::delete))
            .add(GET, "/v1/revisions", bare(Role.READ_RULES, revisions::history))
            .add(GET, "/v1/revisions/*", bare(Role.READ_RULES, revisions::show))
            .add(POST, "/v1/revisions/*/restore", bare(Role.CHANGE_RULES, revisions::restore))
            .add(GET, "/v1/stats", bare(Role.READ, views.live()::stats))
            .add(GET, "/v1/stream", bare(Role.READ, views.live()::stream))
            .add(GET, "/v1/callers", bare(Role.READ, views.live()::callers))
            .add(GET, "/v1/callers/*", bare(Role.READ, views.live()::caller))
            .add(GET, "/v1/whoami", bare(Role.ANYBODY, about::whoami))
            .add(POST, "/v1/playground", trial(playground::answer))
            .add(POST, "/v1/what-if", trial(whatIf::answer))
            .add(GET, "/health/live", bare(Role.ANYBODY, about::live))
            .add(GET, "/health/ready", bare(Role.ANYBODY, about::ready))
            .add(GET, "/metrics", bare(Role.READ, new MetricsHandler(views.metrics())::answer))
            .add(GET, "/openapi.yaml", bare(Role.ANYBODY, OpenApiHandler::answer))
            .add(GET, "/assets/*", bare(Role.ANYBODY, pages::asset))
            .add(GET, "/", bare(Role.ANYBODY, pages::root));
    // Most proxies ask by GET, some by the method of the request that they ask about.
    for (var method : List.of(GET, POST, PUT, PATCH, DELETE, OPTIONS)) {
      routes.traced(method, GATE, bare(Role.CHECK, gate::ask));
    }
    routes.anyOtherMethod(GATE, bare(Role.CHECK, gate::ask));
  }

  /** Everything that is served, as {@code GET /path}, where {@code *} is one open segment. */
  public Set<String> endpoints() {
    return routes.names();
  }

  /** What follows requests here, and may follow those of others. */
  public Tracing tracing() {
    return tracing;
  }

  /** Says that a client is there, though it has said nothing lately that this would have heard. */
  public void heard(HttpConnection connection) {
    connections.heard(connection);
  }

  /**
   * Announces to the clients of this event loop that their connections end. To be called on the
   * event loop.
   *
   * @return completes when every client has acknowledged; may never do so
   */
  public Future<Void> goAway() {
    return connections.goAway();
  }

  /**
   * To be called before a request of others is served: its rest must come in time too, and is not
   * waited for once there is an answer.
   *
   * @param lasts whether it may take as long as it likes
   * @param answers the memory that its answers take until they are sent, beyond that of a short one
   * @return nothing if there is no memory for it, and then it has been refused
   */
  public Optional<NonApiRequest> expects(HttpServerRequest request, boolean lasts, long answers) {
    var call = new NonApiRequest(request, vertx, connections, answers);
    return call.begin(lasts) ? Optional.of(call) : Optional.empty();
  }

  /**
   * To be called on the event loop that the server's requests come on.
   *
   * @param others takes requests that are not of this API, and says whether it did
   */
  public HttpServer serve(HttpServer server, Predicate<HttpServerRequest> others) {
    vertx.setPeriodic(limits.tickMillis(), ticked -> connections.tick());
    readiness.watchdog().watch(vertx.getOrCreateContext());
    return server
        .connectionHandler(connections::opened)
        .invalidRequestHandler(this::refuse)
        .requestHandler(request -> {
          if (others.test(request)) connections.heard(request.connection());
          else exchange(request).receive(routes, access);
        });
  }

  private Exchange exchange(HttpServerRequest request) {
    return new Exchange(request, vertx, connections, readiness, tracing);
  }

  /** What is no HTTP has no end that could be waited for: it is answered and the line cut. */
  private void refuse(HttpServerRequest request) {
    var cause = request.decoderResult().cause();
    ProblemDocument problem;
    if (cause instanceof TooLongHttpLineException) {
      problem =
          ProblemDocument.of(414, "the first line of the request is too long; shorten the path");
    } else if (cause instanceof TooLongHttpHeaderException) {
      problem = ProblemDocument.of(431, "the headers are too long; send fewer or shorter ones");
    } else {
      problem = ProblemDocument.of(400, "this is not a valid HTTP request");
    }
    // Proxies take 403 for a denial. Other statuses are errors to some, which let the request pass.
    if (GATE.equals(request.path())) {
      problem = ProblemDocument.of(ForwardAuthHeaders.FORBIDDEN, problem.detail());
    }
    exchange(request).answer(problem);
  }

  private static Route one(Role role, Route.Call call) {
    return new Route(role, Route.ONE_CHECK, call);
  }

  private static Route rules(Route.Call call) {
    return new Route(Role.CHANGE_RULES, Route.RULES, true, call);
  }

  private static Route trial(Route.Call call) {
    return new Route(Role.READ, Route.TRIAL, call);
  }

  private static Route bare(Role role, Route.Call call) {
    return new Route(role, Route.NO_BODY, call);
  }
}
