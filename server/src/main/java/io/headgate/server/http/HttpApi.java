package io.headgate.server.http;

import static io.vertx.core.http.HttpMethod.DELETE;
import static io.vertx.core.http.HttpMethod.GET;
import static io.vertx.core.http.HttpMethod.OPTIONS;
import static io.vertx.core.http.HttpMethod.PATCH;
import static io.vertx.core.http.HttpMethod.POST;
import static io.vertx.core.http.HttpMethod.PUT;

import io.headgate.RateLimiter;
import io.headgate.http.TrustedProxies;
import io.headgate.server.api.AccessControl;
import io.headgate.server.api.ProblemDocument;
import io.headgate.server.api.Readiness;
import io.headgate.server.api.Role;
import io.headgate.server.check.CheckService;
import io.headgate.server.http.admin.RevisionHandlers;
import io.headgate.server.http.admin.RuleChangeHandlers;
import io.headgate.server.http.admin.RuleHandlers;
import io.headgate.server.http.check.CheckHandlers;
import io.headgate.server.http.check.ExplainHandlers;
import io.headgate.server.http.check.ForwardAuth;
import io.headgate.server.http.check.ForwardAuthHeaders;
import io.headgate.server.http.check.HomeHandler;
import io.headgate.server.http.check.LeaseHandlers;
import io.headgate.server.http.check.ReservationHandlers;
import io.headgate.server.http.check.SignalHandlers;
import io.headgate.server.http.check.SlotHandlers;
import io.headgate.server.http.simulation.PlaygroundHandler;
import io.headgate.server.http.simulation.WhatIfHandler;
import io.headgate.server.http.stats.MetricsHandler;
import io.headgate.server.http.transport.ConnectionTracker;
import io.headgate.server.http.transport.Exchange;
import io.headgate.server.http.transport.Route;
import io.headgate.server.http.transport.Routes;
import io.headgate.server.http.ui.DashboardHandler;
import io.headgate.server.http.ui.OpenApiHandler;
import io.headgate.server.http.ui.ServiceInfoHandlers;
import io.headgate.server.rules.RecentCallers;
import io.headgate.server.rules.RuleRepository;
import io.headgate.server.trace.Tracing;
import io.headgate.store.Ticker;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import java.util.List;
import java.util.Set;

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
  private final Tracing tracing;
  private final Routes routes;

  /**
   * @param checkService decides the requests of this event loop
   * @param views the views shared by all event loops
   * @param connections tracks the connections of this event loop
   */
  public HttpApi(
      Vertx vertx,
      CheckService checkService,
      RateLimiter limiter,
      RuleRepository repository,
      RecentCallers callers,
      SharedViews views,
      Ticker ticker,
      AccessControl access,
      TrustedProxies proxies,
      ConnectionTracker connections,
      Readiness readiness) {
    this.vertx = vertx;
    this.access = access;
    this.readiness = readiness;
    this.connections = connections;
    this.tracing = views.tracing();
    var checks = new CheckHandlers(checkService, ticker);
    var slots = new SlotHandlers(checkService);
    var reservations = new ReservationHandlers(checkService, ticker, views.stats()::maskOf);
    var leases = new LeaseHandlers(checkService);
    var signals = new SignalHandlers(limiter);
    var home =
        new Route(
            Role.REGION, Route.HOME_CALL, Route.Format.BINARY, new HomeHandler(limiter)::execute);
    var explain = new ExplainHandlers(limiter, checkService, access, views.stats().logMask());
    var info =
        new ServiceInfoHandlers(limiter, repository, access, readiness, readiness.watchdog());
    var pages = new DashboardHandler(info);
    var changes = new RuleChangeHandlers(repository, callers, ticker, access);
    var rules = new RuleHandlers(repository, changes);
    var revisions = new RevisionHandlers(repository, changes);
    var playground = new PlaygroundHandler(views.simulations());
    var whatIf = new WhatIfHandler(limiter, views.simulations(), views.stats()::maskOf);
    var ruleStats = views.stats().rules();
    var forwardAuth = new ForwardAuth(checkService, proxies, ticker);
    this.routes =
        new Routes()
            .traced(POST, "/v1/check", check(Role.CHECK, checks::check))
            .traced(POST, "/v1/check/batch", new Route(Role.CHECK, Route.BATCH, checks::batch))
            .add(POST, "/v1/peek", check(Role.PEEK, checks::peek))
            .add(POST, "/v1/explain", check(Role.READ, explain::explain))
            .add(POST, "/v1/reset", check(Role.ADMIN, explain::reset))
            .traced(POST, "/v1/slots", check(Role.CHECK, checks::acquire))
            .add(PUT, "/v1/slots/*", withoutBody(Role.CHECK, slots::renew))
            .add(DELETE, "/v1/slots/*", withoutBody(Role.CHECK, slots::release))
            .traced(POST, "/v1/reservations", check(Role.CHECK, reservations::reserve))
            .add(GET, "/v1/reservations", withoutBody(Role.READ, reservations::list))
            .add(PATCH, "/v1/reservations/*", check(Role.CHECK, reservations::update))
            .add(DELETE, "/v1/reservations/*", withoutBody(Role.CHECK, reservations::cancel))
            .add(POST, "/v1/reservations/*/settle", check(Role.CHECK, reservations::settle))
            .add(POST, "/v1/usage", check(Role.USAGE, reservations::usage))
            .add(POST, "/v1/leases", check(Role.LEASE, leases::acquire))
            .add(PUT, "/v1/leases/*", check(Role.LEASE, leases::renew))
            .add(POST, "/v1/leases/*/release", check(Role.LEASE, leases::release))
            .add(POST, "/v1/signals", check(Role.SIGNAL, signals::report))
            .add(POST, "/v1/home", home)
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
            .add(GET, "/v1/stats/history", withoutBody(Role.READ, ruleStats::history))
            .add(GET, "/v1/stats/rules", withoutBody(Role.READ, ruleStats::list))
            .add(GET, "/v1/stats/rules/*", withoutBody(Role.READ, ruleStats::show))
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

  /** Handles a request. */
  public void handle(HttpServerRequest request) {
    exchange(request).receive(routes, access, tracing);
  }

  private Exchange exchange(HttpServerRequest request) {
    return new Exchange(request, vertx, connections, readiness);
  }

  /**
   * Answers a request that is not valid HTTP and closes its connection, since its end can't be
   * found.
   */
  public void rejectInvalid(HttpServerRequest request) {
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
    return new Route(Role.CHANGE_RULES, Route.RULES, Route.Format.JSON_OR_YAML, call);
  }

  private static Route simulation(Route.Call call) {
    return new Route(Role.READ, Route.SIMULATION, call);
  }

  private static Route withoutBody(Role role, Route.Call call) {
    return new Route(role, Route.NO_BODY, call);
  }
}
