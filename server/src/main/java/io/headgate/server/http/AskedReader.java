package io.headgate.server.http;

import com.fasterxml.jackson.core.JsonToken;
import io.headgate.rule.Request;
import io.headgate.rule.Subject;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads questions, each field as it comes by, and refuses whatever is not exactly right. */
final class AskedReader {
  static final int MOST_CHECKS = 1_000;

  private static final String BATCH = "checks";

  private final JsonIn in;
  private final Set<Field> allowed;
  private final Set<Field> seen = EnumSet.noneOf(Field.class);
  private @Nullable Subject subject;
  private long cost = 1;
  private Map<String, Long> costs = Map.of();
  private boolean wait;
  private String rule = "";

  private AskedReader(JsonIn in, Set<Field> allowed) {
    this.in = in;
    this.allowed = allowed;
  }

  static Asked readOne(byte[] body, Set<Field> allowed) {
    var in = JsonIn.of(body);
    in.beginObject();
    var asked = new AskedReader(in, allowed).read();
    in.end();
    return asked;
  }

  /** Reads {@code {"checks":[…]}}. */
  static List<Asked> readBatch(byte[] body) {
    var in = JsonIn.of(body);
    in.beginObject();
    List<Asked> checks = null;
    while (in.nextField()) {
      if (!in.field().equals(BATCH)) throw in.unknown(Set.of(BATCH));
      if (checks != null) throw in.bad("is given twice; give it once");
      checks = readList(in);
    }
    in.end();
    if (checks == null) {
      throw Refusal.badInput(
          BATCH, "is missing; send {\"checks\":[{\"key\":\"user:42\"},{\"key\":\"user:43\"}]}");
    }
    return checks;
  }

  private static List<Asked> readList(JsonIn in) {
    if (in.next() != JsonToken.START_ARRAY) throw in.bad("must be a list of checks");
    var checks = new ArrayList<Asked>();
    while (true) {
      in.enter(BATCH + "[" + checks.size() + "]");
      var token = in.next();
      if (token == JsonToken.END_ARRAY) {
        in.enter("");
        return checks;
      }
      if (token != JsonToken.START_OBJECT) throw in.bad("must be an object such as {\"key\":…}");
      if (checks.size() == MOST_CHECKS) {
        throw Refusal.badInput(
            BATCH, "may have at most %d items; send several batches".formatted(MOST_CHECKS));
      }
      checks.add(new AskedReader(in, Field.OF_PEEK).read());
    }
  }

  private Asked read() {
    while (in.nextField()) {
      var field = Field.find(in.field());
      if (field == null || !allowed.contains(field)) throw in.unknown(allowed);
      if (!seen.add(field)) throw in.bad("is given twice; give it once");
      switch (field) {
        case KEY -> {
          refuseBoth(Field.SUBJECT);
          subject = Subject.of(checked(in.scalar()));
        }
        case SUBJECT -> {
          refuseBoth(Field.KEY);
          subject = readSubject();
        }
        case COST -> cost = in.whole(Request.HIGHEST_COST);
        case COSTS -> costs = readCosts();
        case WAIT -> wait = in.truth();
        case RULE -> rule = checked(in.text());
        case TOKENS_REQUESTED -> {
          refuseBoth(Field.TOKENS);
          cost = in.whole(Request.HIGHEST_COST);
        }
        case TOKENS -> {
          refuseBoth(Field.TOKENS_REQUESTED);
          cost = in.whole(Request.HIGHEST_COST);
        }
      }
    }
    return asked();
  }

  private Asked asked() {
    if (subject == null) {
      throw allowed.contains(Field.SUBJECT)
          ? in.missing(Field.SUBJECT, "{\"key\":\"user:42\"} or {\"subject\":{\"user\":\"42\"}}")
          : in.missing(Field.KEY, "{\"key\":\"user:42\"}");
    }
    if (rule.isEmpty() && allowed.contains(Field.RULE)) {
      throw in.missing(Field.RULE, "{\"key\":\"user:42\",\"rule\":\"per-user\"}");
    }
    return new Asked(new Request(subject, cost, costs), wait, rule);
  }

  private void refuseBoth(Field other) {
    if (seen.contains(other))
      throw in.bad("and %s say the same; send one of them".formatted(other));
  }

  private Subject readSubject() {
    if (in.next() != JsonToken.START_OBJECT) {
      throw in.bad("must be an object of attributes such as {\"user\":\"42\"}");
    }
    var attributes = new LinkedHashMap<String, String>();
    while (in.nextMember()) {
      checkName();
      if (attributes.size() == Subject.MOST_ATTRIBUTES) {
        throw in.bad("is one too many; a subject may have %d".formatted(Subject.MOST_ATTRIBUTES));
      }
      if (attributes.put(in.member(), checked(in.scalar())) != null) {
        throw in.bad("is given twice; give it once");
      }
    }
    if (attributes.isEmpty()) throw in.bad("has no attributes; give one such as {\"user\":\"42\"}");
    return Subject.of(attributes);
  }

  private Map<String, Long> readCosts() {
    if (in.next() != JsonToken.START_OBJECT) {
      throw in.bad("must be an object of named costs such as {\"bytes\":512}");
    }
    var named = new LinkedHashMap<String, Long>();
    while (in.nextMember()) {
      checkName();
      if (named.size() == Request.MOST_COSTS) {
        throw in.bad("is one too many; a check may have %d".formatted(Request.MOST_COSTS));
      }
      if (named.put(in.member(), in.whole(Request.HIGHEST_COST)) != null) {
        throw in.bad("is given twice; give it once");
      }
    }
    return named;
  }

  private void checkName() {
    String name = in.member();
    if (name.isEmpty()) throw in.bad("has an empty name in it; name each attribute and cost");
    if (name.length() > Subject.LONGEST_NAME) {
      throw in.bad(
          "has too long a name (%d characters); the longest is %d"
              .formatted(name.length(), Subject.LONGEST_NAME));
    }
    Texts.flaw(name)
        .ifPresent(flaw -> {
          throw in.bad("is a name that " + flaw);
        });
  }

  private String checked(String value) {
    if (value.isEmpty()) throw in.bad("is empty; leave it out if the request has none");
    if (value.length() > Subject.LONGEST_VALUE) {
      throw in.bad(
          "may have at most %d characters, got %d; send a hash of it instead"
              .formatted(Subject.LONGEST_VALUE, value.length()));
    }
    Texts.flaw(value)
        .ifPresent(flaw -> {
          throw in.bad(flaw);
        });
    return value;
  }
}
