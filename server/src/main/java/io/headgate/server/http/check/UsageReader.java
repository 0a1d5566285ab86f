package io.headgate.server.http.check;

import io.headgate.Costs;
import io.headgate.rule.Request;
import io.headgate.server.api.ProblemException;
import io.headgate.server.http.protocol.JsonReader;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Parses the usage of a reservation strictly: unknown, repeated and malformed fields are errors. A
 * settlement without the real cost would charge the estimate, so that field is required.
 */
final class UsageReader {
  private static final String USED = "used";
  private static final String ACTUAL = "actual";
  private static final String COST = "cost";
  private static final String MORE = "more";
  private static final String TTL = "ttlMs";

  /**
   * An update of a reservation.
   *
   * @param used the usage since the beginning
   * @param more the permits to add
   * @param ttl the time by which to extend it; empty for that of its rules
   */
  record Update(Costs used, Costs more, Optional<Duration> ttl) {}

  private final JsonReader in;
  private OptionalLong cost = OptionalLong.empty();
  private @Nullable Map<String, Long> costs;
  private Map<String, Long> more = Map.of();
  private Optional<Duration> ttl = Optional.empty();

  private UsageReader(JsonReader in) {
    this.in = in;
  }

  /**
   * Parses the body of an update: {@code
   * {"used":{"tokens":200},"more":{"tokens":500},"ttlMs":60000}}.
   *
   * @throws ProblemException with status 400 if the body is not valid
   */
  static Update readUpdate(byte[] body) {
    var reader = new UsageReader(JsonReader.of(body));
    reader.read(USED, Set.of(USED, COST, MORE, TTL));
    return new Update(reader.costs(), Costs.of(reader.more), reader.ttl);
  }

  /**
   * Parses the body of a settlement: {@code {"actual":{"tokens":350}}}, or {@code {"actual":7}} for
   * the plain cost.
   *
   * @throws ProblemException with status 400 if the body is not valid
   */
  static Costs readSettlement(byte[] body) {
    var reader = new UsageReader(JsonReader.of(body));
    reader.read(ACTUAL, Set.of(ACTUAL, COST));
    return reader.costs();
  }

  private void read(String usage, Set<String> allowed) {
    in.beginObject();
    var seen = new HashSet<String>();
    while (in.nextField()) {
      in.requireFirst(seen);
      String field = in.field();
      if (!allowed.contains(field)) throw in.unknown(new TreeSet<>(allowed));
      switch (field) {
        case COST -> {
          if (cost.isPresent()) throw in.bad("is given twice; give it once");
          cost = OptionalLong.of(in.wholeNumber(Request.MAX_COST));
        }
        case MORE -> more = CheckRequestReader.readCosts(in);
        case TTL -> ttl = Optional.of(CheckRequestReader.readTtl(in));
        default -> readUsage();
      }
    }
    if (costs == null && cost.isEmpty()) {
      throw in.missing(usage, "{\"%s\":{\"tokens\":200}}, or a plain cost".formatted(usage));
    }
    in.end();
  }

  /** Reads named costs, or a number for the plain cost. */
  private void readUsage() {
    switch (in.next()) {
      case START_OBJECT -> costs = CheckRequestReader.readEnteredCosts(in);
      case VALUE_NUMBER_INT -> {
        if (cost.isPresent()) throw in.bad("and cost are alternatives; send one of them");
        cost = OptionalLong.of(in.currentWholeNumber(Request.MAX_COST));
      }
      default ->
          throw in.bad("must be an object of named costs such as {\"tokens\":200}, or a number");
    }
  }

  private Costs costs() {
    var named = costs == null ? Map.<String, Long>of() : costs;
    if (cost.isPresent() && named.containsKey(Request.PLAIN_COST)) {
      throw ProblemException.badInput(
          COST, "is given twice, by itself and among the named costs; give it once");
    }
    return new Costs(cost, named);
  }
}
