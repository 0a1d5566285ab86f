package io.headgate.server.http.simulation;

import com.fasterxml.jackson.core.JsonToken;
import io.headgate.rule.RuleLimit;
import io.headgate.rulefile.RuleFile;
import io.headgate.server.api.ProblemException;
import io.headgate.server.http.admin.RulesJson;
import io.headgate.server.http.protocol.JsonReader;
import io.headgate.server.simulation.Candidate;
import io.headgate.server.simulation.Playground;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Parses playground requests. */
public final class PlaygroundReader {
  private static final String LIMITS = "limits";
  private static final int MAX_NAME_LENGTH = 100;

  private final JsonReader in;
  private Optional<Long> durationMillis = Optional.empty();
  private Optional<TrafficReader> traffic = Optional.empty();
  private List<Candidate> candidates = List.of();

  /** A playground request. */
  public record PlaygroundRequest(
      long durationMillis, TrafficReader traffic, List<Candidate> candidates) {}

  private PlaygroundReader(JsonReader in) {
    this.in = in;
  }

  /**
   * Parses a body.
   *
   * @throws ProblemException with status 400 if the body is not valid
   */
  public static PlaygroundRequest read(byte[] body) {
    var in = JsonReader.of(body);
    in.beginObject();
    var reader = new PlaygroundReader(in);
    reader.readFields();
    in.end();
    return reader.build();
  }

  private void readFields() {
    var seen = new HashSet<String>();
    while (in.nextField()) {
      in.requireFirst(seen);
      switch (in.field()) {
        case "durationMs" -> {
          long millis = in.wholeNumber(TrafficReader.MAX_MILLIS);
          if (millis == 0) throw in.bad("must be 1 to 86400000 (a day), got 0");
          durationMillis = Optional.of(millis);
        }
        case "traffic" -> traffic = Optional.of(TrafficReader.read(in));
        case LIMITS -> candidates = readLimits();
        default -> throw in.unknown(Set.of("durationMs", "traffic", LIMITS));
      }
    }
  }

  private List<Candidate> readLimits() {
    if (in.next() != JsonToken.START_ARRAY) throw in.bad("must be a list of limits");
    var all = new ArrayList<Candidate>();
    while (true) {
      in.setPath(LIMITS + "[" + all.size() + "]");
      var token = in.next();
      if (token == JsonToken.END_ARRAY) {
        in.setPath("");
        return all;
      }
      if (token != JsonToken.START_OBJECT) {
        throw in.bad("must be an object such as {\"name\":…,\"limit\":{…}}");
      }
      if (all.size() == Playground.MAX_LIMITS) {
        throw ProblemException.badInput(
            LIMITS, "may have at most %d items".formatted(Playground.MAX_LIMITS));
      }
      all.add(readLimit(LIMITS + "[" + all.size() + "].limit"));
    }
  }

  private Candidate readLimit(String path) {
    Optional<String> name = Optional.empty();
    Optional<RuleLimit> limit = Optional.empty();
    var seen = new HashSet<String>();
    while (in.nextField()) {
      in.requireFirst(seen);
      switch (in.field()) {
        case "name" -> {
          String text = in.text();
          if (text.length() > MAX_NAME_LENGTH) {
            throw in.bad("may have at most %d characters".formatted(MAX_NAME_LENGTH));
          }
          name = Optional.of(text);
        }
        case "limit" -> {
          limit = Optional.of(limit(path));
        }
        default -> throw in.unknown(Set.of("name", "limit"));
      }
    }
    if (limit.isEmpty()) {
      throw ProblemException.badInput(
          path, "is missing; send such as {\"algorithm\":\"token-bucket\",\"rate\":\"100/10s\"}");
    }
    var found = limit.get();
    String shown = name.orElse(found.limit().algorithm().id());
    return new Candidate(shown, found.limit(), found.tuning().isPresent());
  }

  private RuleLimit limit(String path) {
    var raw = in.rawObject("a limit such as {\"algorithm\":…,\"rate\":\"100/10s\"}");
    return RulesJson.read(
        path,
        "the limit is not valid",
        () -> RuleFile.readLimit(raw.text(), path, raw.line(), raw.column()));
  }

  private PlaygroundRequest build() {
    if (candidates.isEmpty()) {
      throw ProblemException.badInput(LIMITS, "is missing or empty; send 1 to 8 limits");
    }
    return new PlaygroundRequest(
        durationMillis.orElse(60_000L),
        traffic.orElseThrow(() ->
            ProblemException.badInput(
                "traffic", "is missing; send such as {\"kind\":\"steady\",\"perSecond\":20}")),
        candidates);
  }
}
