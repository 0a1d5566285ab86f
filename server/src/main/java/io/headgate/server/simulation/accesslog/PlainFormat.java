package io.headgate.server.simulation.accesslog;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.util.Optional;

/**
 * Reads the common and combined formats, the defaults of Apache and nginx. Combined adds the
 * referer and the user agent; further fields are ignored. Either may be preceded by the name of the
 * server, as in Debian's {@code vhost_combined}.
 */
final class PlainFormat implements LineFormat {
  private static final Optional<String> NOT_PLAIN =
      Optional.of(
          "is not in common or combined log format, such as 10.0.0.1 - -"
              + " [10/Oct/2026:13:55:36 +0000] \"GET / HTTP/1.1\" 200 2326");
  private static final Optional<String> BAD_TIME =
      Optional.of("has no time such as [10/Oct/2026:13:55:36 +0000], from 1970 to 2076");

  private final StringCache strings = new StringCache();
  private final boolean withQuery;
  private final boolean combined;
  private final int[] server;
  private final int[] ip;
  private final int[] user;
  private final int[] method;
  private final int[] path;
  private final int[] protocol;
  private final int[] status;
  private final int[] bytes;
  private final int[] referer;
  private final int[] agent;

  PlainFormat(FieldSlots slots, boolean combined, boolean withQuery) {
    this.combined = combined;
    this.withQuery = withQuery;
    this.server = slots.all("host");
    this.ip = slots.all("ip");
    this.user = slots.all("user");
    this.method = slots.all("method");
    this.path = slots.all("path");
    this.protocol = slots.all("protocol");
    this.status = slots.all("status");
    this.bytes = slots.all("bytes");
    this.referer = slots.all("referer");
    this.agent = slots.all("user-agent");
  }

  @Override
  public Optional<String> read(byte[] b, int start, int to, LogLine line) {
    int from = ServerName.end(b, start, to);
    int host = find(b, ' ', from, to);
    int ident = find(b, ' ', host + 1, to);
    int name = openBracket(b, ident, to);
    int closed = find(b, ']', name + 1, to);
    if (closed == to || host == from) return NOT_PLAIN;
    if (!line.time.read(b, name + 2, closed)) return BAD_TIME;
    if (from > start) put(line, server, b, start, ServerName.withoutPort(b, start, from - 1));
    put(line, ip, b, from, host);
    put(line, user, b, ident + 1, name);
    int quote = closed + 2;
    if (quote >= to || b[quote] != '"') return NOT_PLAIN;
    int unquote = closingQuote(b, quote + 1, to);
    if (unquote == to) return NOT_PLAIN;
    request(b, quote + 1, unquote, line);
    int code = Math.min(unquote + 2, to);
    int afterCode = find(b, ' ', code, to);
    put(line, status, b, code, afterCode);
    int size = Math.min(afterCode + 1, to);
    int afterSize = find(b, ' ', size, to);
    put(line, bytes, b, size, afterSize);
    if (combined) rest(b, afterSize + 1, to, line);
    return Optional.empty();
  }

  /** Returns the index of the space before the opening bracket. User names may contain spaces. */
  static int openBracket(byte[] b, int from, int to) {
    for (int i = Math.max(0, from); i + 1 < to; i++) {
      if (b[i] == ' ' && b[i + 1] == '[') return i;
    }
    return to;
  }

  /**
   * Reads a request line such as {@code GET /path?query HTTP/1.1}. Clients may send anything,
   * including nothing.
   */
  private void request(byte[] b, int from, int to, LogLine line) {
    int verb = find(b, ' ', from, to);
    if (verb == to) return;
    int version = to;
    while (version > verb && b[version - 1] != ' ') version--;
    boolean versioned = version > verb + 1 && version < to && b[version] == 'H';
    int end = versioned ? version - 1 : to;
    put(line, method, b, from, verb);
    if (versioned) put(line, protocol, b, version, to);
    if (path.length == 0) return;
    if (verb + 1 < end && b[verb + 1] != '/') {
      String target = RequestTarget.path(text(b, verb + 1, end), withQuery);
      for (int slot : path) line.put(slot, target, 0);
      return;
    }
    int query = withQuery ? end : find(b, '?', verb + 1, end);
    put(line, path, b, verb + 1, query);
  }

  private void rest(byte[] b, int from, int to, LogLine line) {
    if (from >= to || b[from] != '"') return;
    int end = closingQuote(b, from + 1, to);
    put(line, referer, b, from + 1, end);
    int next = end + 2;
    if (next < to && b[next] == '"') put(line, agent, b, next + 1, closingQuote(b, next + 1, to));
  }

  private void put(LogLine line, int[] slots, byte[] b, int from, int to) {
    if (slots.length == 0 || from >= to) return;
    String text = text(b, from, to);
    for (int slot : slots) line.put(slot, text, 0);
  }

  private String text(byte[] b, int from, int to) {
    int escape = find(b, '\\', from, to);
    return escape == to ? strings.of(b, from, to) : unescaped(b, from, to);
  }

  /** Decodes escapes: Apache writes \" and nginx \x22. */
  private static String unescaped(byte[] b, int from, int to) {
    var out = new ByteArrayOutputStream(to - from);
    for (int i = from; i < to; i++) {
      if (b[i] != '\\' || i + 1 == to) {
        out.write(b[i]);
      } else if (b[i + 1] == 'x' && i + 3 < to && hex(b, i + 2) >= 0) {
        out.write(hex(b, i + 2));
        i += 3;
      } else {
        out.write(b[++i]);
      }
    }
    return out.toString(UTF_8);
  }

  private static int hex(byte[] b, int at) {
    int high = Character.digit(b[at], 16);
    int low = Character.digit(b[at + 1], 16);
    return high < 0 || low < 0 ? -1 : high << 4 | low;
  }

  /** Returns the index of the closing quote, or {@code to} if there is none. */
  private static int closingQuote(byte[] b, int from, int to) {
    for (int i = from; i < to; i++) {
      if (b[i] == '"') return i;
      if (b[i] == '\\') i++;
    }
    return to;
  }

  static int find(byte[] b, char wanted, int from, int to) {
    for (int i = from; i < to; i++) {
      if (b[i] == wanted) return i;
    }
    return to;
  }
}
