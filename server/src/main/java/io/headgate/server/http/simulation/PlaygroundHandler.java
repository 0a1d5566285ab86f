package io.headgate.server.http.simulation;

import io.headgate.server.api.JsonWriter;
import io.headgate.server.api.RoundedTimes;
import io.headgate.server.http.transport.Exchange;
import io.headgate.server.simulation.Arrivals;
import io.headgate.server.simulation.Deadline;
import io.headgate.server.simulation.LimitResult;
import io.headgate.server.simulation.NominalLimit;
import io.headgate.server.simulation.Playground;
import java.util.Arrays;
import java.util.Locale;

/** Limits side by side on traffic that is made for them. */
public final class PlaygroundHandler {
  private final SimulationExecutor trials;

  public PlaygroundHandler(SimulationExecutor trials) {
    this.trials = trials;
  }

  public void answer(Exchange exchange, byte[] body) {
    trials.run(exchange, patience -> run(PlaygroundReader.read(body), patience));
  }

  private JsonWriter run(PlaygroundReader.Asked asked, Deadline patience) {
    var arrivals = new Arrivals(asked.durationMillis() * 1_000, patience);
    var promise = NominalLimit.of(asked.entrants().getFirst().limit());
    asked.traffic().traffic(promise, trials.traffic(), arrivals.end()).into(arrivals);
    long[] times = arrivals.sorted();
    var playground = new Playground(times, asked.durationMillis(), patience);
    var out = new JsonWriter().begin();
    out.name("durationMs").value(asked.durationMillis());
    out.name("stepMs").value(playground.stepMillis());
    out.name("offered").value(playground.offered());
    out.name("requests").value(times.length);
    out.name("truncated").value(arrivals.isTruncated());
    out.name("results").beginList();
    for (var entrant : asked.entrants()) write(out, playground.run(entrant));
    return out.endList().end();
  }

  private static void write(JsonWriter out, LimitResult course) {
    out.begin();
    out.name("name").value(course.entrant().name());
    out.name("algorithm").value(course.entrant().limit().algorithm());
    out.name("admitted").value(course.admitted());
    out.name("denied").value(course.denied());
    out.name("delayed").value(course.delayed());
    out.name("totals").begin();
    out.name("admitted").value(Arrays.stream(course.admitted()).sum());
    out.name("denied").value(Arrays.stream(course.denied()).sum());
    out.name("delayed").value(Arrays.stream(course.delayed()).sum());
    out.end();
    out.name("maxInWindow").begin();
    out.name("windowMs").value(RoundedTimes.millis(course.promise().window()));
    out.name("admitted").value(course.mostInWindow());
    out.name("limit").value(course.promise().permits());
    out.end();
    out.name("delay").begin();
    out.name("p50Ms").value(course.delays().p50());
    out.name("p99Ms").value(course.delays().p99());
    out.name("maxMs").value(course.delays().max());
    out.end();
    out.name("stateBytes").value(course.stateBytes());
    out.name("queue").value(course.queue());
    out.name("first").beginList();
    for (var told : course.first()) {
      out.begin().name("atMs").value(told.atMicros() / 1_000);
      out.name("outcome").value(told.fate().name().toLowerCase(Locale.ROOT));
      out.name("delayMs").value(RoundedTimes.millis(told.delayMicros())).end();
    }
    out.endList();
    out.end();
  }
}
