package io.headgate.server.http.protocol;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import io.headgate.server.api.ProblemDocument;
import io.headgate.server.api.ProblemException;
import io.headgate.server.api.TextSyntax;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads a body as JSON, strictly, and knows at any time which field it is at, so that whatever is
 * wrong can be named.
 */
public final class JsonReader {
  private static final int DEEPEST = 4;
  private static final int LONGEST_NUMBER = 2_048;

  private static final JsonFactory FACTORY =
      new JsonFactoryBuilder()
          .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNestingDepth(DEEPEST)
                  .maxNumberLength(LONGEST_NUMBER)
                  .build())
          .build();

  private final JsonParser parser;
  private final byte[] body;
  private String within = "";
  private @Nullable String field;
  private @Nullable String member;

  private JsonReader(JsonParser parser, byte[] body) {
    this.parser = parser;
    this.body = body;
  }

  public static JsonReader of(byte[] body) {
    if (body.length == 0) {
      throw ProblemException.badInput("body", "is empty; send JSON such as {\"key\":\"user:42\"}");
    }
    if (!isUtf8Json(body)) {
      throw ProblemException.badInput("body", "is not valid UTF-8; JSON must be encoded so");
    }
    try {
      return new JsonReader(FACTORY.createParser(body), body);
    } catch (IOException e) {
      throw ProblemException.badInput("body", "can't be read as JSON");
    }
  }

  /** JSON begins with ASCII: a zero among its first bytes tells of UTF-16 or UTF-32. */
  private static boolean isUtf8Json(byte[] body) {
    for (int i = 0; i < Math.min(4, body.length); i++) {
      if (body[i] == 0) return false;
    }
    return TextSyntax.isUtf8(body);
  }

  /** Enters the object that is the whole body, or an item of a list. */
  public void beginObject() {
    if (next() != JsonToken.START_OBJECT) throw bad("must be an object, got " + given());
  }

  /** Moves to the next field; false at the end of the object. */
  public boolean nextField() {
    field = null;
    var name = nextName();
    field = name;
    return name != null;
  }

  /** As {@link #nextField}, for an object within a field. */
  public boolean nextMember() {
    member = null;
    var name = nextName();
    member = name;
    return name != null;
  }

  public String field() {
    return field == null ? "" : field;
  }

  public String member() {
    return member == null ? "" : member;
  }

  /**
   * Refuses a field that came before in its object: each is read at some expense, and which of the
   * two is meant nobody knows.
   *
   * @param seen the names so far
   */
  public void once(Set<String> seen) {
    if (!seen.add(member == null ? field() : member)) throw bad("is given twice; give it once");
  }

  private @Nullable String nextName() {
    try {
      return parser.nextFieldName();
    } catch (IOException e) {
      throw syntax(e);
    }
  }

  public JsonToken next() {
    try {
      var token = parser.nextToken();
      if (token == null) throw bad("ends too early; complete the JSON");
      return token;
    } catch (IOException e) {
      throw syntax(e);
    }
  }

  /** Says where the next objects are, such as {@code checks[3]}. */
  public void enter(String place) {
    within = place;
    field = null;
  }

  public void end() {
    within = "";
    field = null;
    try {
      if (parser.nextToken() == null) return;
    } catch (IOException e) {
      throw syntax(e);
    }
    throw bad("goes on after the end of the JSON; send one value");
  }

  public String text() {
    if (next() != JsonToken.VALUE_STRING) throw bad("must be a string, got " + given());
    return current();
  }

  public boolean truth() {
    return switch (next()) {
      case VALUE_TRUE -> true;
      case VALUE_FALSE -> false;
      default -> throw bad("must be true or false, got " + given());
    };
  }

  /** A text; none if there is null. */
  public Optional<String> textIfAny() {
    return switch (next()) {
      case VALUE_STRING -> Optional.of(current());
      case VALUE_NULL -> Optional.empty();
      default -> throw bad("must be a string or null, got " + given());
    };
  }

  /** A number from 0 to {@code highest}, with a fraction if it likes. */
  public double number(long highest) {
    var token = next();
    if (token == JsonToken.VALUE_NUMBER_INT || token == JsonToken.VALUE_NUMBER_FLOAT) {
      try {
        double value = parser.getDoubleValue();
        if (value >= 0 && value <= highest) return value;
      } catch (IOException e) {
        // Said below.
      }
    }
    throw bad("must be a number from 0 to %d, got %s".formatted(highest, given()));
  }

  /** A list of whole numbers. */
  public List<Long> wholes(long highest, int most) {
    if (next() != JsonToken.START_ARRAY) throw bad("must be a list of numbers, got " + given());
    var all = new ArrayList<Long>();
    while (next() != JsonToken.END_ARRAY) {
      if (all.size() == most) throw bad("may have at most %d items".formatted(most));
      all.add(currentWhole(highest));
    }
    return all;
  }

  /**
   * A piece of the body.
   *
   * @param line where it begins there, from 1
   * @param column likewise
   */
  public record Written(String text, int line, int column) {}

  /** An object as it is written, for others to read. */
  public Written written(String wanted) {
    if (next() != JsonToken.START_OBJECT)
      throw bad("must be %s, got %s".formatted(wanted, given()));
    var start = parser.currentTokenLocation();
    try {
      parser.skipChildren();
    } catch (IOException e) {
      throw syntax(e);
    }
    int from = (int) start.getByteOffset();
    int to = (int) parser.currentLocation().getByteOffset();
    return new Written(
        new String(body, from, to - from, StandardCharsets.UTF_8),
        start.getLineNr(),
        start.getColumnNr());
  }

  /** A number that is written without fraction and exponent, from 0 to {@code highest}. */
  public long whole(long highest) {
    next();
    return currentWhole(highest);
  }

  private long currentWhole(long highest) {
    if (parser.currentToken() != JsonToken.VALUE_NUMBER_INT) {
      throw bad("must be a whole number from 0 to %d, got %s".formatted(highest, given()));
    }
    try {
      long value = parser.getLongValue();
      if (value >= 0 && value <= highest) return value;
    } catch (IOException e) {
      // Longer than a long: said below.
    }
    throw bad("must be 0 to %d, got %s".formatted(highest, given()));
  }

  /** A text, or a number or truth taken as its text: what identifies somebody may be any. */
  public String scalar() {
    return switch (next()) {
      case VALUE_STRING, VALUE_NUMBER_INT, VALUE_TRUE, VALUE_FALSE -> current();
      case VALUE_NUMBER_FLOAT ->
          throw bad("must be a string, a whole number or a truth, got %s".formatted(given()));
      default -> throw bad("must be a string, got " + given());
    };
  }

  private String current() {
    try {
      return parser.getText();
    } catch (IOException e) {
      throw syntax(e);
    }
  }

  /** What stands where something else should, for a message. */
  private String given() {
    return switch (parser.currentToken()) {
      case START_OBJECT -> "an object";
      case START_ARRAY -> "a list";
      case VALUE_NULL -> "null; leave the field out instead";
      case VALUE_STRING -> "the string '" + TextSyntax.shown(current()) + "'";
      default -> TextSyntax.shown(current());
    };
  }

  public ProblemException bad(String flaw) {
    return ProblemException.badInput(path(), flaw);
  }

  public ProblemException unknown(Set<?> allowed) {
    return bad("is not known here; allowed: %s".formatted(allowed));
  }

  /** To be called at the end of the object that lacks the field. */
  public ProblemException missing(String name, String example) {
    field = name;
    return bad("is missing; send " + example);
  }

  private ProblemException syntax(IOException e) {
    reachedName();
    if (e instanceof StreamConstraintsException) {
      return bad(
          "is too long or too deeply nested; numbers may have %d digits, nesting may be %d deep"
              .formatted(LONGEST_NUMBER, DEEPEST));
    }
    var at = parser.currentLocation();
    String path = path();
    return new ProblemException(
        ProblemDocument.of(
            400,
            path,
            "the JSON is broken at line %d, column %d, at or after %s; mind quotes, commas, brackets"
                .formatted(at.getLineNr(), at.getColumnNr(), path)));
  }

  /** The parser looks ahead: what it stumbles over may belong to a name it has not yet given. */
  private void reachedName() {
    try {
      String name = parser.currentName();
      if (name == null || member != null) return;
      if (field == null) field = name;
      else if (!field.equals(name)) member = name;
    } catch (IOException e) {
      // The place is told less closely then.
    }
  }

  private String path() {
    var path = new StringBuilder(within);
    if (field != null) path.append(path.isEmpty() ? "" : ".").append(TextSyntax.shown(field));
    if (member != null) path.append('.').append(TextSyntax.shown(member));
    return path.isEmpty() ? "body" : path.toString();
  }
}
