package io.headgate.server.http.check;

import io.headgate.ClientLease;
import io.headgate.ClientLeases;
import io.headgate.http.TextSyntax;
import io.headgate.rule.InvalidCostException;
import io.headgate.server.api.JsonWriter;
import io.headgate.server.api.ProblemException;
import io.headgate.server.check.CheckService;
import io.headgate.server.http.protocol.MediaTypes;
import io.headgate.server.http.transport.Exchange;
import io.vertx.core.http.HttpHeaders;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/** Handles the endpoints that grant permit leases to clients, and renew and release them. */
public final class LeaseHandlers {
  private static final String PATH = "/v1/leases/";

  /** The position of the id in {@code /v1/leases/ID}. */
  private static final int ID_SEGMENT = 2;

  private final CheckService checkService;

  public LeaseHandlers(CheckService checkService) {
    this.checkService = checkService;
  }

  /** Grants a lease: 201 with an id, or 200 with the reason why there is none. */
  public void acquire(Exchange exchange, byte[] body) {
    var check = CheckRequestReader.readOne(body, CheckField.OF_LEASE);
    var unused = checkService.costs().unused(check.request(), exchange.isStrict());
    checkService.lease(
        exchange,
        leases -> leases.acquireAsync(check.request(), check.checks()),
        lease -> {
          if (exchange.isClosed()) {
            // The client never learns the id. If this fails, the lease expires.
            if (lease instanceof ClientLease.Granted granted) {
              checkService.lease(
                  exchange,
                  leases -> leases.releaseAsync(granted.id(), check.request(), 0),
                  done -> {});
            }
            return;
          }
          if (lease instanceof ClientLease.Granted granted) {
            exchange.header(HttpHeaders.LOCATION, PATH + granted.id());
          }
          answer(exchange, lease, 201, unused);
        });
  }

  /** Charges the checks that were made, and grants the next lease. */
  public void renew(Exchange exchange, byte[] body) {
    var check = CheckRequestReader.readOne(body, CheckField.OF_LEASE_RENEWAL);
    String id = exchange.segment(ID_SEGMENT);
    checkService.lease(
        exchange,
        ofLease(id, leases -> leases.renewAsync(id, check.request(), check.used(), check.checks())),
        lease -> {
          if (!exchange.isClosed()) answer(exchange, lease, 200, List.of());
        });
  }

  /** Charges the checks that were made, and returns the rest. */
  public void release(Exchange exchange, byte[] body) {
    var check = CheckRequestReader.readOne(body, CheckField.OF_LEASE_RELEASE);
    String id = exchange.segment(ID_SEGMENT);
    checkService.lease(
        exchange,
        ofLease(id, leases -> leases.releaseAsync(id, check.request(), check.used())),
        done -> {
          if (!exchange.isClosed()) exchange.end(204);
        });
  }

  private static void answer(
      Exchange exchange, ClientLease lease, int status, List<String> unused) {
    var out = new JsonWriter().begin();
    switch (lease) {
      case ClientLease.Granted granted -> {
        out.name("id").value(granted.id());
        out.name("checks").value(granted.checks());
        out.name("ttlMs").value(granted.ttl().toMillis());
        CheckResultJson.writeFields(out, granted.result(), 0, false);
        CheckResultJson.writeUnused(out, unused);
        exchange.answer(status, MediaTypes.JSON, out.end());
      }
      case ClientLease.None none -> {
        out.name("checks").value(0);
        out.name("lasting").value(none.lasting());
        out.name("reason").value(none.reason());
        CheckResultJson.writeUnused(out, unused);
        exchange.answer(200, MediaTypes.JSON, out.end());
      }
    }
  }

  private static <T> Function<ClientLeases, CompletionStage<T>> ofLease(
      String id, Function<ClientLeases, CompletionStage<T>> operation) {
    return leases ->
        operation
            .apply(leases)
            .exceptionallyCompose(thrown -> {
              var cause = thrown instanceof CompletionException ? thrown.getCause() : thrown;
              boolean isOfId =
                  cause instanceof IllegalArgumentException
                      && !(cause instanceof InvalidCostException);
              return CompletableFuture.failedStage(isOfId ? invalid(id) : thrown);
            });
  }

  private static ProblemException invalid(String id) {
    return ProblemException.badInput(
        "id",
        "'%s' is not the id of a lease; use the id of the last response for it"
            .formatted(TextSyntax.excerpt(id)));
  }
}
