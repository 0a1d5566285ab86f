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

/**
 * The HTTP API for the requests of one event loop. Each event loop has its own instance, and calls
 * it on its own thread only.
 */
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
   * @param listener is notified of the decisions of this event loop
   * @param views the views shared by all event loops
   * @param eventLoops the number of event loops, each with an API of its own
   */
  public HttpApi(
      Vertx vertx,
      RateLimiter limiter,
      RuleRepository repository,
      RecentCallers callers,
      DecisionListener listener,
      SharedViews views,
      Ticker ticker,
      AccessControl access,
      ConnectionLimiter connectionLimiter,
      int eventLoops,
      Readiness readiness) {
    this.vertx = vertx;
    this.access = access;
    this.readiness = readiness;
    this.limits = connectionLimiter.limits();
    this.connections = new ConnectionTracker(limits, connectionLimiter.budget(), eventLoops);
    this.tracing = views.tracing();
    var checkService = new CheckService(limiter, listener);
    var checks = new CheckHandlers(limiter, checkService, ticker);
    var slots = new SlotHandlers(limiter, checkService);
    var explain = new ExplainHandlers(limiter, checkService, access);
    var info =
        new ServiceInfoHandlers(limiter, repository, access, readiness, readiness.watchdog());
    var pages = new DashboardHandler(info);
    var changes = new RuleChangeHandlers(repository, callers, ticker, access);
    var rules = new RuleHandlers(repository, changes);
    var revisions = new RevisionHandlers(repository, changes);
    var playground = new PlaygroundHandler(views.simulations());
    var whatIf = new WhatIfHandler(limiter, views.simulations());
    var forwardAuth = new ForwardAuth(limiter, checkService, connectionLimiter.proxies(), ticker);
    this.routes =
        new Routes()
            .traced(POST, "/v1/check", check(Role.CHECK, checks::check))
            .traced(POST, "/v1/check/batch", new Route(Role.CHECK, Route.BATCH, checks::batch))
            .add(POST, "/v1/peek", check(Role.PEEK, checks::peek))
            .add(POST, "/v1/explain", check(Role.READ, explain::explain))
            .add(POST, "/v1/reset", check(Role.ADMIN, explain::reset))
            .traced(POST, "/v1/slots", check(Role.CHECK, checks::check))
            .add(PUT, "/v1/slots/*", withoutBody(Role.CHECK, slots::renew))
            .add(DELETE, "/v1/slots/*", withoutBody(Role.CHECK, slots::release))
            .traced(POST, "/api/ratelimit/check", check(Role.CHECK, checks::tokens))
            .add(GET, "/v1/rules", withoutBody(Role.READ_RULES, rules::list))
            .add(PUT, "/v1/rules", rules(rules::replaceAll))
            .add(GET, "/v1/rules/*", withoutBody(Role.READ_RULES, rules::show))
            .add(PUT, "/v1/rules/*", rules(rules::put))
            .add(DELETE, "/v1/rules/*", withoutBody(Role.CHANGE_RULES, rules::delete))
            .add(GET, "/v1/revisions", withoutBody(Role.READ_RULES, revisions::history))
            .add(GET, "/v1/revisions/*", withoutBody(Role.READ_RULES, revisions::show))
            .add(
                POST, "/v1/revisions/*/restore", withoutBody(Role.CHANGE_RULES, revisions::restore))
            .add(GET, "/v1/stats", withoutBody(Role.READ, views.stats()::stats))
            .add(GET, "/v1/stream", withoutBody(Role.READ, views.stats()::stream))
            .add(GET, "/v1/callers", withoutBody(Role.READ, views.stats()::callers))
            .add(GET, "/v1/callers/*", withoutBody(Role.READ, views.stats()::caller))
            .add(GET, "/v1/whoami", withoutBody(Role.PUBLIC, info::whoami))
            .add(POST, "/v1/playground", simulation(playground::answer))
            .add(POST, "/v1/what-if", simulation(whatIf::answer))
            .add(GET, "/health/live", withoutBody(Role.PUBLIC, info::live))
            .add(GET, "/health/ready", withoutBody(Role.PUBLIC, info::ready))
            .add(
                GET,
                "/metrics",
                withoutBody(Role.READ, new MetricsHandler(views.metrics())::answer))
            .add(GET, "/openapi.yaml", withoutBody(Role.PUBLIC, OpenApiHandler::answer))
            .add(GET, "/assets/*", withoutBody(Role.PUBLIC, pages::asset))
            .add(GET, "/", withoutBody(Role.PUBLIC, pages::root));
    // Most proxies send GET, some send the method of the request they are about to forward.
    for (var method : List.of(GET, POST, PUT, PATCH, DELETE, OPTIONS)) {
      routes.traced(method, GATE, withoutBody(Role.CHECK, forwardAuth::handle));
    }
    routes.anyOtherMethod(GATE, withoutBody(Role.CHECK, forwardAuth::handle));
  }

  /**
   * Returns all endpoints as {@code GET /path}, where {@code *} stands for one variable segment.
   */
  public Set<String> endpoints() {
    return routes.names();
  }

  /** Returns the tracing of this API, which other protocols on the same port may use. */
  public Tracing tracing() {
    return tracing;
  }

  /**
   * Records that a client is active although it has sent no request to this API, such as by a gRPC
   * message.
   */
  public void recordActivity(HttpConnection connection) {
    connections.recordActivity(connection);
  }

  /**
   * Announces to the clients of this event loop that their connections end. To be called on the
   * event loop.
   *
   * @return completes when every client has acknowledged; may never complete
   */
  public Future<Void> goAway() {
    return connections.goAway();
  }

  /**
   * Registers a request of another protocol before it is served. The deadline for its body applies,
   * and its body is not awaited once it is answered.
   *
   * @param unbounded whether the body may take any time
   * @param responseBytes the memory of its responses until they are sent, beyond that of a short
   *     one
   * @return empty if there is no memory for the request, which has then been rejected
   */
  public Optional<NonApiRequest> registerNonApi(
      HttpServerRequest request, boolean unbounded, long responseBytes) {
    var call = new NonApiRequest(request, vertx, connections, responseBytes);
    return call.begin(unbounded) ? Optional.of(call) : Optional.empty();
  }

  /**
   * Installs this API as the handler of a server. To be called on the event loop of its requests.
   *
   * @param others handles requests that are not part of this API; returns whether it handled one
   */
  public HttpServer serve(HttpServer server, Predicate<HttpServerRequest> others) {
    vertx.setPeriodic(limits.tickMillis(), ticked -> connections.tick());
    readiness.watchdog().watch(vertx.getOrCreateContext());
    return server
        .connectionHandler(connections::opened)
        .invalidRequestHandler(this::rejectInvalid)
        .requestHandler(request -> {
          if (others.test(request)) connections.recordActivity(request.connection());
          else exchange(request).receive(routes, access);
        });
  }

  private Exchange exchange(HttpServerRequest request) {
    return new Exchange(request, vertx, connections, readiness, tracing);
  }

  /**
   * Answers a request that is not valid HTTP and closes its connection, since its end can't be
   * found.
   */
  private void rejectInvalid(HttpServerRequest request) {
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
    // Proxies treat 403 as a denial. Some treat other statuses as errors and let the request pass.
    if (GATE.equals(request.path())) {
      problem = ProblemDocument.of(ForwardAuthHeaders.FORBIDDEN, problem.detail());
    }
    exchange(request).answer(problem);
  }

  private static Route check(Role role, Route.Call call) {
    return new Route(role, Route.ONE_CHECK, call);
  }

  private static Route rules(Route.Call call) {
    return new Route(Role.CHANGE_RULES, Route.RULES, true, call);
  }

  private static Route simulation(Route.Call call) {
    return new Route(Role.READ, Route.SIMULATION, call);
  }

  private static Route withoutBody(Role role, Route.Call call) {
    return new Route(role, Route.NO_BODY, call);
  }
}
