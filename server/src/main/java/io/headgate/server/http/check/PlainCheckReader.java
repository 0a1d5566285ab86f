package io.headgate.server.http.check;

import io.headgate.rule.Request;
import io.headgate.rule.Subject;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Parses the frequent forms of a check without a JSON parser: an object with {@code key} or {@code
 * subject}, and perhaps {@code cost}, in printable ASCII without escapes. Any other body, valid or
 * not, is left to {@link CheckRequestReader}, so that errors have one definition. Not thread-safe.
 */
final class PlainCheckReader {
  private static final int MAX_DIGITS = 9; // of a cost
  private static final byte[] KEY = ascii("\"key\"");
  private static final byte[] SUBJECT = ascii("\"subject\"");
  private static final byte[] COST = ascii("\"cost\"");

  private final byte[] body;
  private int at;
  private @Nullable Subject subject;
  private long cost;

  private PlainCheckReader(byte[] body) {
    this.body = body;
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /** Returns the check, or null if the body has another form. */
  static @Nullable CheckRequest read(byte[] body) {
    return new PlainCheckReader(body).read();
  }

  private @Nullable CheckRequest read() {
    if (!skip('{')) return null;
    do {
      if (!readField()) return null;
    } while (skip(','));
    if (!skip('}') || at != body.length || subject == null) return null;
    var request = new Request(subject, cost == 0 ? 1 : cost, Map.of());
    return new CheckRequest(request, false, "", Optional.empty(), 0, 0);
  }

  /** Reads a field; returns false if it is repeated or has another form. */
  private boolean readField() {
    if (skip(KEY)) return subject == null && skip(':') && readKey();
    if (skip(SUBJECT)) return subject == null && skip(':') && readSubject();
    return skip(COST) && cost == 0 && skip(':') && readCost();
  }

  private boolean readKey() {
    String key = text(Subject.MAX_VALUE_LENGTH);
    if (key == null) return false;
    subject = Subject.of(key);
    return true;
  }

  private boolean readSubject() {
    var pairs = new ArrayList<String>();
    if (!skip('{')) return false;
    do {
      String name = text(Subject.MAX_NAME_LENGTH);
      if (name == null || !skip(':')) return false;
      String value = text(Subject.MAX_VALUE_LENGTH);
      if (value == null || pairs.size() == 2 * Subject.MAX_ATTRIBUTES) return false;
      for (int i = 0; i < pairs.size(); i += 2) {
        if (pairs.get(i).equals(name)) return false;
      }
      pairs.add(name);
      pairs.add(value);
    } while (skip(','));
    if (!skip('}')) return false;
    subject = Subject.ofPairs(pairs.toArray(String[]::new));
    return true;
  }

  /** Reads digits that do not begin with 0. A fraction or an exponent is rejected as no token. */
  private boolean readCost() {
    skipSpace();
    int from = at;
    while (at < body.length && at - from < MAX_DIGITS && body[at] >= '0' && body[at] <= '9') {
      cost = 10 * cost + (body[at++] - '0');
    }
    return cost > 0 && body[from] != '0';
  }

  /** Reads a text of 1 to {@code max} characters; returns null if it has another form. */
  private @Nullable String text(int max) {
    if (!skip('"')) return null;
    int from = at;
    while (at < body.length && isPlain(body[at])) at++;
    int length = at - from;
    if (length == 0 || length > max || at == body.length || body[at++] != '"') return null;
    return new String(body, from, length, StandardCharsets.ISO_8859_1);
  }

  private static boolean isPlain(byte b) {
    return b >= ' ' && b <= '~' && b != '"' && b != '\\';
  }

  /** Skips white space and, if it comes next, the token. */
  private boolean skip(byte[] token) {
    skipSpace();
    if (body.length - at < token.length) return false;
    for (int i = 0; i < token.length; i++) {
      if (body[at + i] != token[i]) return false;
    }
    at += token.length;
    return true;
  }

  /** Skips white space and, if it comes next, the character. */
  private boolean skip(char token) {
    skipSpace();
    if (at == body.length || body[at] != token) return false;
    at++;
    return true;
  }

  private void skipSpace() {
    while (at < body.length && (body[at] == ' ' || body[at] == '\n')) at++;
  }
}
