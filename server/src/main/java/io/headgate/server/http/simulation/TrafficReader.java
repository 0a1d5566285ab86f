package io.headgate.server.http.simulation;

import com.fasterxml.jackson.core.JsonToken;
import io.headgate.http.TextSyntax;
import io.headgate.server.api.ProblemException;
import io.headgate.server.http.protocol.JsonReader;
import io.headgate.server.simulation.Arrivals;
import io.headgate.server.simulation.Deadline;
import io.headgate.server.simulation.NominalLimit;
import io.headgate.server.simulation.RecentTraffic;
import io.headgate.server.simulation.TenantArrivals;
import io.headgate.server.simulation.Traffic;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** Parses the description of the traffic that the playground generates. */
final class TrafficReader {
  static final long MAX_MILLIS = 86_400_000;

  private static final long MAX_PER_SECOND = 1_000_000;
  private static final int MAX_SECONDS = 86_400;
  private static final Set<String> FIELDS =
      Set.of("kind", "perSecond", "burst", "everyMs", "drawn", "times", "rates", "seed");

  private enum Kind {
    STEADY,
    BURSTS,
    RAMP,
    RANDOM,
    EDGES,
    DRAWN,
    TIMES,
    RECENT,
    TENANTS
  }

  private Optional<Kind> kind = Optional.empty();
  private Optional<Double> perSecond = Optional.empty();
  private Optional<Long> burst = Optional.empty();
  private Optional<Long> everyMillis = Optional.empty();
  private Optional<List<Long>> drawn = Optional.empty();
  private Optional<List<Long>> times = Optional.empty();
  private Optional<List<Long>> rates = Optional.empty();
  private long seed;

  private TrafficReader() {}

  /** Parses the object at the current position. */
  static TrafficReader read(JsonReader in) {
    if (in.next() != JsonToken.START_OBJECT) {
      throw in.bad("must be an object such as {\"kind\":\"steady\",\"perSecond\":20}");
    }
    var reader = new TrafficReader();
    var seen = new HashSet<String>();
    while (in.nextMember()) {
      in.requireFirst(seen);
      reader.readField(in);
    }
    return reader;
  }

  private void readField(JsonReader in) {
    switch (in.member()) {
      case "kind" -> kind = Optional.of(kind(in));
      case "perSecond" -> perSecond = Optional.of(in.number(MAX_PER_SECOND));
      case "burst" -> burst = Optional.of(in.wholeNumber(Arrivals.MAX_ARRIVALS));
      case "everyMs" -> {
        long every = in.wholeNumber(MAX_MILLIS);
        if (every == 0) throw in.bad("must be 1 to %d, got 0".formatted(MAX_MILLIS));
        everyMillis = Optional.of(every);
      }
      case "drawn" -> drawn = Optional.of(in.wholeNumbers(MAX_PER_SECOND, MAX_SECONDS));
      case "times" -> times = Optional.of(in.wholeNumbers(MAX_MILLIS, Arrivals.MAX_ARRIVALS));
      case "rates" ->
          rates = Optional.of(in.wholeNumbers(MAX_PER_SECOND, TenantArrivals.MAX_TENANTS));
      case "seed" -> seed = in.wholeNumber(Long.MAX_VALUE);
      default -> throw in.unknown(FIELDS);
    }
  }

  private static Kind kind(JsonReader in) {
    String text = in.text();
    for (var kind : Kind.values()) {
      if (kind.name().toLowerCase(Locale.ROOT).equals(text)) return kind;
    }
    throw in.bad(
        "must be steady, bursts, ramp, random, edges, drawn, times, recent or tenants, got '%s'"
            .formatted(TextSyntax.excerpt(text)));
  }

  /**
   * Returns the traffic.
   *
   * @param nominal the nominal limit, at whose window edges the bursts of {@code edges} arrive
   * @param recent the requests that {@code recent} repeats
   * @param end the end of the simulation in microseconds
   */
  Traffic traffic(NominalLimit nominal, RecentTraffic recent, long end) {
    return switch (kind.orElseThrow(() -> missing("kind", "\"steady\""))) {
      case STEADY -> new Traffic.Steady(required(perSecond, "perSecond", "20"));
      case RAMP -> new Traffic.Ramp(required(perSecond, "perSecond", "20"));
      case RANDOM -> new Traffic.Random(required(perSecond, "perSecond", "20"), seed);
      case BURSTS ->
          withBackground(
              new Traffic.Bursts(
                  required(burst, "burst", "50"),
                  required(everyMillis, "everyMs", "10000") * 1_000));
      case EDGES ->
          withBackground(
              new Traffic.Edges(
                  burst.orElse(Math.min(Arrivals.MAX_ARRIVALS, nominal.permits())),
                  everyMillis.map(millis -> millis * 1_000).orElse(nominal.window())));
      case DRAWN -> new Traffic.Drawn(required(drawn, "drawn", "[0,5,30]"));
      case TIMES -> timesOf(required(times, "times", "[0,12,500]"));
      case RECENT -> recentOf(recent.sample(), end);
      case TENANTS -> throw new IllegalStateException("has the traffic of several tenants");
    };
  }

  /**
   * Returns the traffic of several tenants; empty if it is that of a single caller.
   *
   * @param end the end of the simulation in microseconds
   */
  Optional<TenantArrivals> tenants(long end, Deadline deadline) {
    if (!kind.equals(Optional.of(Kind.TENANTS))) return Optional.empty();
    var all = required(rates, "rates", "[80,5,5]");
    if (all.isEmpty()) throw missing("rates", "[80,5,5]");
    return Optional.of(TenantArrivals.of(all, end, deadline));
  }

  /** Adds the steady rate, if given, to the bursts. */
  private Traffic withBackground(Traffic traffic) {
    return perSecond
        .<Traffic>map(rate -> new Traffic.Both(traffic, new Traffic.Steady(rate)))
        .orElse(traffic);
  }

  private static Traffic timesOf(List<Long> millis) {
    return new Traffic.Times(millis.stream().mapToLong(time -> time * 1_000).toArray());
  }

  /** Returns the recent requests as traffic of one caller; the latest ones if not all fit. */
  private static Traffic recentOf(RecentTraffic.Sample sample, long end) {
    if (sample.arrivals().isEmpty()) return new Traffic.Times(new long[0]);
    long first = sample.arrivals().getFirst().micros();
    long start = Math.max(first, sample.arrivals().getLast().micros() - end + 1);
    return new Traffic.Times(
        sample.arrivals().stream().mapToLong(arrival -> arrival.micros() - start).toArray());
  }

  private static <T> T required(Optional<T> value, String name, String example) {
    return value.orElseThrow(() -> missing(name, example));
  }

  private static ProblemException missing(String name, String example) {
    return ProblemException.badInput(
        "traffic." + name, "is missing; send such as \"%s\":%s".formatted(name, example));
  }
}
