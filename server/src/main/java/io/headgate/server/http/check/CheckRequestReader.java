package io.headgate.server.http.check;

import com.fasterxml.jackson.core.JsonToken;
import io.headgate.ClientLeases;
import io.headgate.http.TextSyntax;
import io.headgate.rule.Request;
import io.headgate.rule.ReservationSettings;
import io.headgate.rule.Subject;
import io.headgate.server.api.ProblemException;
import io.headgate.server.http.protocol.JsonReader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Parses check requests strictly: unknown, repeated and malformed fields are errors. */
public final class CheckRequestReader {
  static final int MAX_CHECKS = 1_000;

  private static final String BATCH = "checks";

  private final JsonReader in;
  private final Set<CheckField> allowed;
  private final Set<CheckField> seen = EnumSet.noneOf(CheckField.class);
  private @Nullable Subject subject;
  private long cost = 1;
  private Map<String, Long> costs = Map.of();
  private boolean wait;
  private String rule = "";
  private Optional<Duration> ttl = Optional.empty();
  private long used;
  private long checks;

  private CheckRequestReader(JsonReader in, Set<CheckField> allowed) {
    this.in = in;
    this.allowed = allowed;
  }

  /**
   * Parses a body with one check.
   *
   * @param allowed the fields that the endpoint accepts
   * @throws ProblemException with status 400 if the body is not valid
   */
  public static CheckRequest readOne(byte[] body, Set<CheckField> allowed) {
    if (allowed.equals(CheckField.OF_CHECK)) {
      var plain = PlainCheckReader.read(body);
      if (plain != null) return plain;
    }
    var in = JsonReader.of(body);
    in.beginObject();
    var check = new CheckRequestReader(in, allowed).read();
    in.end();
    return check;
  }

  /**
   * Parses {@code {"checks":[…]}}.
   *
   * @throws ProblemException with status 400 if the body is not valid
   */
  public static List<CheckRequest> readBatch(byte[] body) {
    var in = JsonReader.of(body);
    in.beginObject();
    List<CheckRequest> checks = null;
    while (in.nextField()) {
      if (!in.field().equals(BATCH)) throw in.unknown(Set.of(BATCH));
      if (checks != null) throw in.bad("is given twice; give it once");
      checks = readList(in);
    }
    in.end();
    if (checks == null) {
      throw ProblemException.badInput(
          BATCH, "is missing; send {\"checks\":[{\"key\":\"user:42\"},{\"key\":\"user:43\"}]}");
    }
    return checks;
  }

  private static List<CheckRequest> readList(JsonReader in) {
    if (in.next() != JsonToken.START_ARRAY) throw in.bad("must be a list of checks");
    var checks = new ArrayList<CheckRequest>();
    while (true) {
      in.setPath(BATCH + "[" + checks.size() + "]");
      var token = in.next();
      if (token == JsonToken.END_ARRAY) {
        in.setPath("");
        return checks;
      }
      if (token != JsonToken.START_OBJECT) throw in.bad("must be an object such as {\"key\":…}");
      if (checks.size() == MAX_CHECKS) {
        throw ProblemException.badInput(
            BATCH, "may have at most %d items; send several batches".formatted(MAX_CHECKS));
      }
      checks.add(new CheckRequestReader(in, CheckField.OF_PEEK).read());
    }
  }

  private CheckRequest read() {
    while (in.nextField()) {
      var field = CheckField.find(in.field());
      if (field == null || !allowed.contains(field)) throw in.unknown(allowed);
      if (!seen.add(field)) throw in.bad("is given twice; give it once");
      switch (field) {
        case KEY -> {
          rejectBoth(CheckField.SUBJECT);
          subject = Subject.of(checked(in.scalar()));
        }
        case SUBJECT -> {
          rejectBoth(CheckField.KEY);
          subject = readSubject();
        }
        case COST -> cost = in.wholeNumber(Request.MAX_COST);
        case COSTS -> costs = readCosts();
        case WAIT -> wait = in.bool();
        case RULE -> rule = checked(in.text());
        case TTL -> ttl = Optional.of(readTtl(in));
        case USED -> used = in.wholeNumber(ClientLeases.MAX_CHECKS);
        case CHECKS -> checks = in.wholeNumber(ClientLeases.MAX_CHECKS);
        case TOKENS_REQUESTED -> {
          rejectBoth(CheckField.TOKENS);
          cost = in.wholeNumber(Request.MAX_COST);
        }
        case TOKENS -> {
          rejectBoth(CheckField.TOKENS_REQUESTED);
          cost = in.wholeNumber(Request.MAX_COST);
        }
      }
    }
    return build();
  }

  private CheckRequest build() {
    if (subject == null) {
      throw allowed.contains(CheckField.SUBJECT)
          ? in.missing(
              CheckField.SUBJECT.toString(),
              "{\"key\":\"user:42\"} or {\"subject\":{\"user\":\"42\"}}")
          : in.missing(CheckField.KEY.toString(), "{\"key\":\"user:42\"}");
    }
    if (rule.isEmpty() && allowed.contains(CheckField.RULE)) {
      throw in.missing(CheckField.RULE.toString(), "{\"key\":\"user:42\",\"rule\":\"per-user\"}");
    }
    if (allowed.contains(CheckField.USED) && !seen.contains(CheckField.USED)) {
      throw in.missing(CheckField.USED.toString(), "{\"key\":\"user:42\",\"used\":40}");
    }
    return new CheckRequest(new Request(subject, cost, costs), wait, rule, ttl, used, checks);
  }

  private void rejectBoth(CheckField other) {
    if (seen.contains(other))
      throw in.bad("and %s are alternatives; send one of them".formatted(other));
  }

  /** Reads an object of attributes, which is the value of the current field. */
  static Subject readSubject(JsonReader in) {
    return new CheckRequestReader(in, Set.of()).readSubject();
  }

  private Subject readSubject() {
    if (in.next() != JsonToken.START_OBJECT) {
      throw in.bad("must be an object of attributes such as {\"user\":\"42\"}");
    }
    var attributes = new LinkedHashMap<String, String>();
    while (in.nextMember()) {
      checkName();
      if (attributes.size() == Subject.MAX_ATTRIBUTES) {
        throw in.bad("is one too many; a subject may have %d".formatted(Subject.MAX_ATTRIBUTES));
      }
      if (attributes.put(in.member(), checked(in.scalar())) != null) {
        throw in.bad("is given twice; give it once");
      }
    }
    if (attributes.isEmpty()) throw in.bad("has no attributes; give one such as {\"user\":\"42\"}");
    return Subject.of(attributes);
  }

  /** Reads the time to live of a reservation in milliseconds. */
  static Duration readTtl(JsonReader in) {
    long millis = in.wholeNumber(ReservationSettings.MAX_TTL.toMillis());
    if (millis < ReservationSettings.MIN_TTL.toMillis()) {
      throw in.bad(
          "must be %d to %d, got %d"
              .formatted(
                  ReservationSettings.MIN_TTL.toMillis(),
                  ReservationSettings.MAX_TTL.toMillis(),
                  millis));
    }
    return Duration.ofMillis(millis);
  }

  /** Reads an object of named costs, which is the value of the current field. */
  static Map<String, Long> readCosts(JsonReader in) {
    return new CheckRequestReader(in, Set.of()).readCosts();
  }

  private Map<String, Long> readCosts() {
    if (in.next() != JsonToken.START_OBJECT) {
      throw in.bad("must be an object of named costs such as {\"bytes\":512}");
    }
    return readMembers();
  }

  /** Reads an object of named costs that has been entered. */
  static Map<String, Long> readEnteredCosts(JsonReader in) {
    return new CheckRequestReader(in, Set.of()).readMembers();
  }

  private Map<String, Long> readMembers() {
    var named = new LinkedHashMap<String, Long>();
    while (in.nextMember()) {
      checkName();
      if (named.size() == Request.MAX_NAMED_COSTS) {
        throw in.bad("is one too many; a check may have %d".formatted(Request.MAX_NAMED_COSTS));
      }
      if (named.put(in.member(), in.wholeNumber(Request.MAX_COST)) != null) {
        throw in.bad("is given twice; give it once");
      }
    }
    return named;
  }

  private void checkName() {
    String name = in.member();
    if (name.isEmpty()) throw in.bad("has an empty name in it; name each attribute and cost");
    if (name.length() > Subject.MAX_NAME_LENGTH) {
      throw in.bad(
          "has too long a name (%d characters); the longest is %d"
              .formatted(name.length(), Subject.MAX_NAME_LENGTH));
    }
    TextSyntax.flaw(name)
        .ifPresent(flaw -> {
          throw in.bad("is a name that " + flaw);
        });
  }

  private String checked(String value) {
    if (value.isEmpty()) throw in.bad("is empty; leave it out if the request has none");
    if (value.length() > Subject.MAX_VALUE_LENGTH) {
      throw in.bad(
          "may have at most %d characters, got %d; send a hash of it instead"
              .formatted(Subject.MAX_VALUE_LENGTH, value.length()));
    }
    TextSyntax.flaw(value)
        .ifPresent(flaw -> {
          throw in.bad(flaw);
        });
    return value;
  }
}
