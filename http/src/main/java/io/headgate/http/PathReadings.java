package io.headgate.http;

import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedSet;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * The paths that servers may see in the target of a request, for a server that is unknown.
 *
 * <p>Servers differ in what they do with path parameters, encoded slashes, backslashes, empty
 * segments, dot segments, fragments, control characters and bytes that are not UTF-8, and in which
 * order. An ordinary path has one reading. The first reading is the plainest: parameters removed,
 * encoded slashes as slashes, {@code //} as {@code /}, dot segments resolved.
 */
public final class PathReadings {
  /** The most readings of a path; one with more is refused, since each of them is matched. */
  static final int MAX_READINGS = 12;

  /** The most characters of all readings together. */
  static final int MAX_CHARACTERS = 16_384;

  /** What the server does with path parameters. */
  public enum Parameters {
    /** The server may keep or remove them. */
    UNKNOWN,
    /** The server removes them from the raw path, as servlet containers and Spring do. */
    REMOVED
  }

  /**
   * Returns the decoded paths.
   *
   * @param target the target of a request, one char per byte; may have an origin and a query
   * @throws AmbiguousPathException if there are too many readings
   */
  public static List<String> of(String target, Parameters parameters) {
    if (isPlain(target)) return List.of(target);
    var decoded = new LinkedHashSet<String>();
    for (var path : readings(withoutQuery(withoutOrigin(target)), parameters))
      addDecoded(path, decoded);
    return List.copyOf(decoded);
  }

  /**
   * Returns the paths in percent-encoding, where only letters, digits and {@code -._~} are decoded,
   * each with the query of the target. A target that is its own only reading is returned alone.
   *
   * @param target an absolute path, which may have a query
   * @throws AmbiguousPathException if there are too many readings
   */
  public static List<String> encoded(String target) {
    if (isPlain(target)) return List.of(target);
    int query = target.indexOf('?');
    String path = query < 0 ? target : target.substring(0, query);
    String rest = query < 0 ? "" : target.substring(query);
    return readings(path, Parameters.UNKNOWN).stream().map(reading -> reading + rest).toList();
  }

  /** Returns whether the target is an ordinary path, which is most common and needs no copy. */
  private static boolean isPlain(String target) {
    if (target.isEmpty() || target.charAt(0) != '/') return false;
    char previous = ' ';
    for (int i = 0; i < target.length(); i++) {
      char c = target.charAt(i);
      if (previous == '/' && (c == '/' || c == '.')) return false;
      if (c <= ' ' || c > '~' || "%;?#\\".indexOf(c) >= 0) return false;
      previous = c;
    }
    return true;
  }

  /**
   * Removes scheme and authority: the target of a request to a proxy may be {@code
   * http://host/path}.
   */
  private static String withoutOrigin(String target) {
    int scheme = target.indexOf("://");
    if (scheme <= 0 || !target.substring(0, scheme).matches("[A-Za-z][A-Za-z0-9+.-]*")) {
      return target;
    }
    for (int i = scheme + 3; i < target.length(); i++) {
      if ("/?#\\".indexOf(target.charAt(i)) >= 0) return target.substring(i);
    }
    return "/";
  }

  private static String withoutQuery(String target) {
    int query = target.indexOf('?');
    return query < 0 ? target : target.substring(0, query);
  }

  private static SequencedSet<String> readings(String path, Parameters parameters) {
    SequencedSet<String> all = new LinkedHashSet<>(List.of(path));
    all = eachAlso(all, contains("#"), (p, to) -> to.addAll(List.of(before(p, "#"), p)));
    if (parameters == Parameters.REMOVED) {
      all = eachAlso(all, contains(";"), (p, to) -> to.add(inSegments(p, s -> before(s, ";"))));
    } else {
      all =
          eachAlso(
              all,
              contains(";"),
              (p, to) -> to.addAll(List.of(inSegments(p, s -> before(s, ";")), p)));
    }
    all = eachAlso(all, contains("%2f"), (p, to) -> to.addAll(List.of(replace(p, "%2f"), p)));
    all =
        eachAlso(
            all,
            p -> p.indexOf('\\') >= 0 || has(p, "%5c"),
            (p, to) -> to.addAll(List.of(p, replace(p.replace('\\', '/'), "%5c"))));
    if (parameters == Parameters.UNKNOWN) {
      all =
          eachAlso(
              all,
              p -> p.indexOf(';') >= 0 || has(p, "%3b"),
              (p, to) -> to.addAll(List.of(inSegments(p, s -> before(before(s, ";"), "%3b")), p)));
    }
    all = eachAlso(all, PathReadings::hasControl, PathReadings::addControls);
    all = eachAlso(all, p -> !p.startsWith("/"), (p, to) -> to.add("/" + p));
    return eachAlso(all, p -> true, PathReadings::addSegments);
  }

  private interface Step {
    void add(String path, Collection<String> to);
  }

  /** Applies a step to each path for which it is needed; keeps the others. */
  private static SequencedSet<String> eachAlso(
      SequencedSet<String> paths, Predicate<String> needed, Step step) {
    var out = new LinkedHashSet<String>();
    for (var path : paths) {
      if (needed.test(path)) step.add(path, out);
      else out.add(path);
    }
    int characters = 0;
    if (out.size() > 1) for (var path : out) characters += path.length();
    if (out.size() > MAX_READINGS || characters > MAX_CHARACTERS) {
      throw new AmbiguousPathException("too many readings");
    }
    return out;
  }

  /** Adds what is left by servers that do or do not merge slashes and resolve dot segments. */
  private static void addSegments(String path, Collection<String> to) {
    String plain = PercentEncoding.decodeUnreserved(path);
    boolean empty = plain.contains("//");
    boolean dots = plain.contains("/.");
    if (!empty && !dots) {
      to.add(plain);
      return;
    }
    to.add(resolved(merged(plain)));
    if (empty) to.add(merged(plain));
    if (dots) {
      to.add(merged(resolved(plain)));
      to.add(resolved(plain));
      String raw = resolved(path); // encoded dots are no dot segments to some
      to.add(PercentEncoding.decodeUnreserved(raw));
      if (empty) to.add(PercentEncoding.decodeUnreserved(resolved(merged(path))));
    }
    to.add(plain);
  }

  private static String merged(String path) {
    var out = new StringBuilder(path.length());
    for (int i = 0; i < path.length(); i++) {
      char c = path.charAt(i);
      if (c != '/' || i == 0 || path.charAt(i - 1) != '/') out.append(c);
    }
    return out.toString();
  }

  /** Resolves dot segments (RFC 3986, 5.2.4). */
  private static String resolved(String path) {
    if (!path.contains("/.")) return path;
    var out = new StringBuilder(path.length());
    for (int from = 1; from <= path.length(); ) {
      int slash = path.indexOf('/', from);
      boolean last = slash < 0;
      String segment = path.substring(from, last ? path.length() : slash);
      from = last ? path.length() + 1 : slash + 1;
      if (segment.equals("..")) out.setLength(Math.max(0, out.lastIndexOf("/")));
      else if (!segment.equals(".")) out.append('/').append(segment);
      if (last && (segment.equals("..") || segment.equals("."))) out.append('/');
    }
    return out.toString();
  }

  private static void addControls(String path, Collection<String> to) {
    int first = control(path, 0);
    var removed = new StringBuilder(path.substring(0, first));
    for (int i = first; i < path.length(); ) {
      int next = control(path, i);
      int end = next < 0 ? path.length() : next;
      removed.append(path, i, end);
      i = next < 0 ? end : end + 3;
    }
    to.add(path);
    to.add(path.substring(0, first));
    to.add(removed.toString());
  }

  private static boolean hasControl(String path) {
    return control(path, 0) >= 0;
  }

  /** Returns the position of the next escape of a control character; -1 if there is none. */
  private static int control(String path, int from) {
    for (int i = path.indexOf('%', from);
        i >= 0 && i + 2 < path.length();
        i = path.indexOf('%', i + 1)) {
      char high = path.charAt(i + 1);
      char low = path.charAt(i + 2);
      boolean control = high == '0' || high == '1' || (high == '7' && (low == 'f' || low == 'F'));
      if (control && low < 0x80 && Character.digit(low, 16) >= 0) return i;
    }
    return -1;
  }

  private static void addDecoded(String path, Collection<String> to) {
    var utf8 = new StringBuilder(path.length());
    var latin1 = new StringBuilder(path.length());
    for (int from = 1; from <= path.length(); ) {
      int slash = path.indexOf('/', from);
      int end = slash < 0 ? path.length() : slash;
      var bytes = PercentEncoding.decode(path.substring(from, end));
      utf8.append('/').append(escapedSlashes(HeaderText.printable(bytes)));
      boolean valid = TextSyntax.isUtf8(bytes);
      var charset = valid ? StandardCharsets.UTF_8 : StandardCharsets.ISO_8859_1;
      var text = HeaderText.printable(new String(bytes, charset).getBytes(StandardCharsets.UTF_8));
      latin1.append('/').append(escapedSlashes(text));
      from = end + 1;
    }
    to.add(utf8.toString());
    to.add(latin1.toString());
  }

  /** Escapes a slash within a segment as {@link HeaderText} escapes a byte. */
  private static String escapedSlashes(String segment) {
    return segment.replace("/", "\uFFFD2F");
  }

  private static String inSegments(String path, Function<String, String> change) {
    var out = new StringBuilder(path.length());
    for (int from = 0; from <= path.length(); ) {
      int slash = path.indexOf('/', from);
      int end = slash < 0 ? path.length() : slash;
      out.append(change.apply(path.substring(from, end)));
      if (slash >= 0) out.append('/');
      from = end + 1;
    }
    return out.toString();
  }

  private static Predicate<String> contains(String part) {
    return path -> has(path, part);
  }

  private static boolean has(String path, String lowerCase) {
    return find(path, lowerCase, 0) >= 0;
  }

  private static int find(String path, String lowerCase, int from) {
    for (int i = from; i + lowerCase.length() <= path.length(); i++) {
      if (path.regionMatches(true, i, lowerCase, 0, lowerCase.length())) return i;
    }
    return -1;
  }

  private static String before(String path, String lowerCase) {
    int at = find(path, lowerCase, 0);
    return at < 0 ? path : path.substring(0, at);
  }

  private static String replace(String path, String escape) {
    var out = new StringBuilder(path.length());
    int from = 0;
    for (int at = find(path, escape, 0); at >= 0; at = find(path, escape, from)) {
      out.append(path, from, at).append('/');
      from = at + escape.length();
    }
    return out.append(path, from, path.length()).toString();
  }

  private PathReadings() {}
}
