package io.headgate.server.http.protocol;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import io.headgate.http.TextSyntax;
import io.headgate.server.api.ProblemDocument;
import io.headgate.server.api.ProblemException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Parses a request body as JSON, strictly, and tracks the current field, so that errors name it.
 * Not thread-safe. Methods throw {@link ProblemException} with status 400 if the body does not
 * match.
 */
public final class JsonReader {
  private static final int MAX_DEPTH = 6; // of the weights of a limit in the playground
  private static final int MAX_NUMBER_LENGTH = 2_048;

  private static final JsonFactory FACTORY =
      new JsonFactoryBuilder()
          .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNestingDepth(MAX_DEPTH)
                  .maxNumberLength(MAX_NUMBER_LENGTH)
                  .build())
          .build();

  private final JsonParser parser;
  private final byte[] body;
  private String prefix = "";
  private @Nullable String field;
  private @Nullable String member;

  private JsonReader(JsonParser parser, byte[] body) {
    this.parser = parser;
    this.body = body;
  }

  /** Begins to parse a body, which must be UTF-8 and not empty. */
  public static JsonReader of(byte[] body) {
    if (body.length == 0) {
      throw ProblemException.badInput("body", "is empty; send JSON such as {\"key\":\"user:42\"}");
    }
    if (!isUtf8Json(body)) {
      throw ProblemException.badInput("body", "is not valid UTF-8; encode the JSON as UTF-8");
    }
    try {
      return new JsonReader(FACTORY.createParser(body), body);
    } catch (IOException e) {
      throw ProblemException.badInput("body", "can't be read as JSON");
    }
  }

  /**
   * Returns whether the body is UTF-8. JSON begins with ASCII, so a zero among its first bytes
   * indicates UTF-16 or UTF-32.
   */
  private static boolean isUtf8Json(byte[] body) {
    for (int i = 0; i < Math.min(4, body.length); i++) {
      if (body[i] == 0) return false;
    }
    return TextSyntax.isUtf8(body);
  }

  /** Enters the object that is the whole body, or an item of a list. */
  public void beginObject() {
    if (next() != JsonToken.START_OBJECT) throw bad("must be an object, got " + describeCurrent());
  }

  /** Moves to the next field; returns false at the end of the object. */
  public boolean nextField() {
    field = null;
    var name = nextName();
    field = name;
    return name != null;
  }

  /** Moves to the next member of an object inside a field; returns false at its end. */
  public boolean nextMember() {
    member = null;
    var name = nextName();
    member = name;
    return name != null;
  }

  /** Returns the name of the current field; empty if there is none. */
  public String field() {
    return field == null ? "" : field;
  }

  /** Returns the name of the current member of the object in a field; empty if there is none. */
  public String member() {
    return member == null ? "" : member;
  }

  /**
   * Rejects a repeated field: parsing it is costly, and which of the two values applies is
   * ambiguous.
   *
   * @param seen the names so far in this object
   */
  public void requireFirst(Set<String> seen) {
    if (!seen.add(member == null ? field() : member)) throw bad("is given twice; give it once");
  }

  private @Nullable String nextName() {
    try {
      return parser.nextFieldName();
    } catch (IOException e) {
      throw syntax(e);
    }
  }

  /** Moves to the next token. */
  public JsonToken next() {
    try {
      var token = parser.nextToken();
      if (token == null) throw bad("ends too early; complete the JSON");
      return token;
    } catch (IOException e) {
      throw syntax(e);
    }
  }

  /** Sets the path of the next objects for messages, such as {@code checks[3]}. */
  public void setPath(String path) {
    prefix = path;
    field = null;
  }

  /** Requires the end of the body. */
  public void end() {
    prefix = "";
    field = null;
    try {
      if (parser.nextToken() == null) return;
    } catch (IOException e) {
      throw syntax(e);
    }
    throw bad("continues after the end of the JSON; send one value");
  }

  /** Reads a string. */
  public String text() {
    if (next() != JsonToken.VALUE_STRING) throw bad("must be a string, got " + describeCurrent());
    return current();
  }

  /** Reads a boolean. */
  public boolean bool() {
    return switch (next()) {
      case VALUE_TRUE -> true;
      case VALUE_FALSE -> false;
      default -> throw bad("must be true or false, got " + describeCurrent());
    };
  }

  /** Reads a string or null. */
  public Optional<String> optionalText() {
    return switch (next()) {
      case VALUE_STRING -> Optional.of(current());
      case VALUE_NULL -> Optional.empty();
      default -> throw bad("must be a string or null, got " + describeCurrent());
    };
  }

  /** Reads a number from 0 to {@code highest}; may have a fraction. */
  public double number(long highest) {
    var token = next();
    if (token == JsonToken.VALUE_NUMBER_INT || token == JsonToken.VALUE_NUMBER_FLOAT) {
      try {
        double value = parser.getDoubleValue();
        if (value >= 0 && value <= highest) return value;
      } catch (IOException e) {
        // reported below
      }
    }
    throw bad("must be a number from 0 to %d, got %s".formatted(highest, describeCurrent()));
  }

  /** Reads a list of at most {@code maxItems} integers from 0 to {@code highest}. */
  public List<Long> wholeNumbers(long highest, int maxItems) {
    if (next() != JsonToken.START_ARRAY)
      throw bad("must be a list of numbers, got " + describeCurrent());
    var all = new ArrayList<Long>();
    while (next() != JsonToken.END_ARRAY) {
      if (all.size() == maxItems) throw bad("may have at most %d items".formatted(maxItems));
      all.add(currentWholeNumber(highest));
    }
    return all;
  }

  /**
   * The text of an object in the body.
   *
   * @param line the line where it begins, from 1
   * @param column the column where it begins, from 1
   */
  public record RawObject(String text, int line, int column) {}

  /**
   * Reads an object as raw text, to be parsed elsewhere.
   *
   * @param wanted the expected value, for messages
   */
  public RawObject rawObject(String wanted) {
    if (next() != JsonToken.START_OBJECT)
      throw bad("must be %s, got %s".formatted(wanted, describeCurrent()));
    var start = parser.currentTokenLocation();
    try {
      parser.skipChildren();
    } catch (IOException e) {
      throw syntax(e);
    }
    int from = (int) start.getByteOffset();
    int to = (int) parser.currentLocation().getByteOffset();
    return new RawObject(
        new String(body, from, to - from, StandardCharsets.UTF_8),
        start.getLineNr(),
        start.getColumnNr());
  }

  /** Reads an integer from 0 to {@code highest}, written without fraction and exponent. */
  public long wholeNumber(long highest) {
    next();
    return currentWholeNumber(highest);
  }

  /** Reads the current token as {@link #wholeNumber} does. */
  public long currentWholeNumber(long highest) {
    if (parser.currentToken() != JsonToken.VALUE_NUMBER_INT) {
      throw bad(
          "must be a whole number from 0 to %d, got %s".formatted(highest, describeCurrent()));
    }
    try {
      long value = parser.getLongValue();
      if (value >= 0 && value <= highest) return value;
    } catch (IOException e) {
      // exceeds a long: reported below
    }
    throw bad("must be 0 to %d, got %s".formatted(highest, describeCurrent()));
  }

  /** Reads a string, or an integer or boolean as its text: identifiers may be any of them. */
  public String scalar() {
    return switch (next()) {
      case VALUE_STRING, VALUE_TRUE, VALUE_FALSE -> current();
      case VALUE_NUMBER_INT -> {
        var text = current();
        yield text.equals("-0") ? "0" : text; // one number, so one counter
      }
      case VALUE_NUMBER_FLOAT ->
          throw bad(
              "must be a string, a whole number or a boolean, got %s".formatted(describeCurrent()));
      default -> throw bad("must be a string, got " + describeCurrent());
    };
  }

  private String current() {
    try {
      return parser.getText();
    } catch (IOException e) {
      throw syntax(e);
    }
  }

  /** Describes the current token for a message. */
  private String describeCurrent() {
    return switch (parser.currentToken()) {
      case START_OBJECT -> "an object";
      case START_ARRAY -> "a list";
      case VALUE_NULL -> "null; leave the field out instead";
      case VALUE_STRING -> "the string '" + TextSyntax.excerpt(current()) + "'";
      default -> TextSyntax.excerpt(current());
    };
  }

  /** Returns a problem with the current field. */
  public ProblemException bad(String flaw) {
    return ProblemException.badInput(path(), flaw);
  }

  /** Returns a problem with a current field that is not among the allowed ones. */
  public ProblemException unknown(Set<?> allowed) {
    return bad("is not known here; allowed: %s".formatted(allowed));
  }

  /**
   * Returns a problem with a missing field. To be called at the end of the object that lacks it.
   */
  public ProblemException missing(String name, String example) {
    field = name;
    return bad("is missing; send " + example);
  }

  private ProblemException syntax(IOException e) {
    adoptParserName();
    if (e instanceof StreamConstraintsException) {
      return bad(
          "is too long or too deeply nested; numbers may have %d digits, nesting may be %d deep"
              .formatted(MAX_NUMBER_LENGTH, MAX_DEPTH));
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

  /**
   * Adopts the name that the parser has reached: the parser reads ahead, so an error may belong to
   * a name that it has not returned yet.
   */
  private void adoptParserName() {
    try {
      String name = parser.currentName();
      if (name == null || member != null) return;
      if (field == null) field = name;
      else if (!field.equals(name)) member = name;
    } catch (IOException e) {
      // the path in the message is less precise then
    }
  }

  private String path() {
    var path = new StringBuilder(prefix);
    if (field != null) path.append(path.isEmpty() ? "" : ".").append(TextSyntax.excerpt(field));
    if (member != null) path.append('.').append(TextSyntax.excerpt(member));
    return path.isEmpty() ? "body" : path.toString();
  }
}
