package io.headgate.server.http.check;

import io.headgate.load.LoadSignal;
import io.headgate.rule.Subject;
import io.headgate.server.api.ProblemException;
import io.headgate.server.http.protocol.JsonReader;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Parses signals strictly: unknown, repeated and malformed fields are errors. */
final class SignalReader {
  private static final String SUBJECT = "subject";
  private static final String REPORTER = "reporter";
  private static final String UTILIZATION = "utilization";
  private static final String IN_FLIGHT = "inFlight";
  private static final String CAPACITY = "capacity";
  private static final String QUEUE_WAIT = "queueWaitMs";
  private static final String LATENCY = "latencyMs";
  private static final String ERRORS = "errors";
  private static final Set<String> FIGURES =
      Set.of(UTILIZATION, IN_FLIGHT, CAPACITY, QUEUE_WAIT, LATENCY, ERRORS);
  private static final String EXAMPLE =
      "{\"subject\":{\"backend\":\"checkout\"},\"utilization\":0.95}";
  private static final long HIGHEST = 1_000_000_000;
  private static final int MAX_REPORTER_LENGTH = 256;

  /**
   * A signal of a backend.
   *
   * @param reporter the instance of the backend; empty for the address of the client
   */
  record BackendSignal(Subject subject, Optional<String> reporter, LoadSignal signal) {}

  /**
   * Parses a body.
   *
   * @throws ProblemException with status 400 if the body is not valid
   */
  static BackendSignal read(byte[] body) {
    var in = JsonReader.of(body);
    in.beginObject();
    var seen = new HashSet<String>();
    var figures = new HashMap<String, Double>();
    @Nullable Subject subject = null;
    Optional<String> reporter = Optional.empty();
    while (in.nextField()) {
      in.requireFirst(seen);
      String field = in.field();
      if (field.equals(SUBJECT)) subject = CheckRequestReader.readSubject(in);
      else if (field.equals(REPORTER)) reporter = Optional.of(reporter(in));
      else if (FIGURES.contains(field)) figures.put(field, in.number(HIGHEST));
      else throw in.unknown(new TreeSet<>(allowed()));
    }
    if (subject == null) throw in.missing(SUBJECT, EXAMPLE);
    if (figures.isEmpty()) throw in.missing(UTILIZATION, EXAMPLE + ", or another figure");
    in.end();
    return new BackendSignal(subject, reporter, signal(figures));
  }

  private static Set<String> allowed() {
    var all = new HashSet<>(FIGURES);
    all.add(SUBJECT);
    all.add(REPORTER);
    return all;
  }

  private static String reporter(JsonReader in) {
    String text = in.text();
    if (text.isEmpty() || text.length() > MAX_REPORTER_LENGTH) {
      throw in.bad("must have 1 to %d characters".formatted(MAX_REPORTER_LENGTH));
    }
    return text;
  }

  private static LoadSignal signal(Map<String, Double> figures) {
    try {
      return new LoadSignal(
          figure(figures, UTILIZATION),
          figure(figures, IN_FLIGHT),
          figure(figures, CAPACITY),
          figure(figures, QUEUE_WAIT),
          figure(figures, LATENCY),
          figure(figures, ERRORS));
    } catch (IllegalArgumentException e) {
      throw ProblemException.badInput("body", String.valueOf(e.getMessage()));
    }
  }

  private static OptionalDouble figure(Map<String, Double> figures, String name) {
    Double value = figures.get(name);
    return value == null ? OptionalDouble.empty() : OptionalDouble.of(value);
  }

  private SignalReader() {}
}
