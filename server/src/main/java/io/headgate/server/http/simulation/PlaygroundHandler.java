package io.headgate.server.http.simulation;

import io.headgate.http.RoundedTimes;
import io.headgate.server.api.JsonWriter;
import io.headgate.server.http.transport.Exchange;
import io.headgate.server.simulation.Arrivals;
import io.headgate.server.simulation.Deadline;
import io.headgate.server.simulation.LimitResult;
import io.headgate.server.simulation.NominalLimit;
import io.headgate.server.simulation.Playground;
import io.headgate.server.simulation.SimulationNotes;
import java.util.Arrays;
import java.util.Locale;

/** Handles the playground endpoint: runs several limits over the same generated traffic. */
public final class PlaygroundHandler {
  private final SimulationExecutor simulations;

  /**
   * @param simulations runs the simulation
   */
  public PlaygroundHandler(SimulationExecutor simulations) {
    this.simulations = simulations;
  }

  /** Runs the simulation that the body describes, and answers with its result. */
  public void answer(Exchange exchange, byte[] body) {
    simulations.run(exchange, deadline -> run(PlaygroundReader.read(body), deadline));
  }

  private JsonWriter run(PlaygroundReader.PlaygroundRequest request, Deadline deadline) {
    var traffic = request.traffic().tenants(request.durationMillis() * 1_000, deadline);
    if (traffic.isPresent()) {
      var playground = new Playground(traffic.get(), request.durationMillis(), deadline);
      int requests = traffic.get().times().length;
      return run(request, playground, requests, traffic.get().isTruncated());
    }
    var arrivals = new Arrivals(request.durationMillis() * 1_000, deadline);
    var nominal = NominalLimit.of(request.candidates().getFirst().limit());
    request.traffic().traffic(nominal, simulations.traffic(), arrivals.end()).into(arrivals);
    long[] times = arrivals.sorted();
    var playground = new Playground(times, request.durationMillis(), deadline);
    return run(request, playground, times.length, arrivals.isTruncated());
  }

  private static JsonWriter run(
      PlaygroundReader.PlaygroundRequest request,
      Playground playground,
      int requests,
      boolean truncated) {
    var out = new JsonWriter().begin();
    out.name("durationMs").value(request.durationMillis());
    out.name("stepMs").value(playground.stepMillis());
    out.name("offered").value(playground.offered());
    out.name("requests").value(requests);
    out.name("truncated").value(truncated);
    out.name("notes").value(SimulationNotes.of(request.candidates()));
    out.name("results").beginList();
    for (var candidate : request.candidates()) write(out, playground.run(candidate));
    return out.endList().end();
  }

  private static void write(JsonWriter out, LimitResult result) {
    out.begin();
    out.name("name").value(result.candidate().name());
    out.name("algorithm").value(result.candidate().limit().algorithm().id());
    out.name("admitted").value(result.admitted());
    out.name("denied").value(result.denied());
    out.name("delayed").value(result.delayed());
    out.name("totals").begin();
    out.name("admitted").value(Arrays.stream(result.admitted()).sum());
    out.name("denied").value(Arrays.stream(result.denied()).sum());
    out.name("delayed").value(Arrays.stream(result.delayed()).sum());
    out.end();
    out.name("maxInWindow").begin();
    out.name("windowMs").value(RoundedTimes.millis(result.nominal().window()));
    out.name("admitted").value(result.peakInWindow());
    out.name("limit").value(result.nominal().permits());
    out.end();
    out.name("delay").begin();
    out.name("p50Ms").value(result.delays().p50());
    out.name("p99Ms").value(result.delays().p99());
    out.name("maxMs").value(result.delays().max());
    out.end();
    out.name("stateBytes").value(result.stateBytes());
    out.name("queue").value(result.queue());
    out.name("first").beginList();
    for (var decision : result.first()) {
      out.begin().name("atMs").value(decision.atMicros() / 1_000);
      out.name("outcome").value(decision.decision().name().toLowerCase(Locale.ROOT));
      out.name("delayMs").value(RoundedTimes.millis(decision.delayMicros())).end();
    }
    out.endList();
    if (!result.tenants().isEmpty()) {
      out.name("tenants").beginList();
      for (var tenant : result.tenants()) {
        out.begin().name("name").value(tenant.name());
        out.name("requests").value(tenant.requests());
        out.name("admitted").value(tenant.admitted()).end();
      }
      out.endList();
    }
    out.end();
  }
}
