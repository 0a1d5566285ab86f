package io.headgate.rule;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A pattern for the value of one attribute. Implementations are immutable.
 *
 * <p>A subject without the attribute does not match, except for {@link Absent} and {@link
 * OrAbsent}, which are whole conditions and not parts of other patterns.
 */
public sealed interface Pattern {

  /** Returns whether a value matches. */
  boolean matches(String value);

  /** Returns whether a subject without the attribute matches. */
  default boolean matchesAbsent() {
    return false;
  }

  /**
   * Returns whether more than one value can match. By default, each value of such an attribute has
   * its own counter.
   */
  boolean isWildcard();

  /** Returns the pattern as it is written in a rule. */
  String text();

  /**
   * Returns whether all values with the same {@linkplain Subject#counterValue counter value} give
   * the same result. The counter value of an IPv6 address is its /64, and an address can be written
   * in several ways, so for the attribute {@code ip} this is true only for blocks of whole counter
   * values.
   */
  default boolean isDeterminedByKey(String attribute) {
    return !attribute.equals(Cidr.ATTRIBUTE)
        || switch (this) {
          case Cidr block -> block.isWholeKeys();
          case Glob glob -> glob.matchesEverything();
          case AnyOf anyOf ->
              anyOf.patterns.stream().allMatch(one -> one.isDeterminedByKey(attribute));
          case Except except ->
              except.pattern.isDeterminedByKey(attribute)
                  && except.excluded.isDeterminedByKey(attribute);
          case Exactly exactly -> false;
          case OrAbsent(var pattern) -> pattern.isDeterminedByKey(attribute);
          case Absent absent -> true;
        };
  }

  /** Returns a text that is the same for equal patterns, independent of the order of lists. */
  default String canonical() {
    return switch (this) {
      case Exactly(var value) -> "exactly" + Match.sized(value);
      case Glob glob ->
          glob.pieces().stream().map(Match::sized).collect(Collectors.joining("", "glob[", "]"));
      case Cidr block -> "block %s %d".formatted(block.address().prefix(block.bits), block.bits);
      case AnyOf anyOf ->
          anyOf.patterns().stream()
              .map(Pattern::canonical)
              .distinct()
              .sorted()
              .map(Match::sized)
              .collect(Collectors.joining("", "any[", "]"));
      case Except(var pattern, var excluded) ->
          "except" + Match.sized(pattern.canonical()) + Match.sized(excluded.canonical());
      case OrAbsent(var pattern) -> "or-absent" + Match.sized(pattern.canonical());
      case Absent absent -> "absent";
    };
  }

  /**
   * Parses a pattern as it is written in a rule. Text with a {@code *} is a glob. For the attribute
   * {@code ip}, an address or a CIDR block is compared by bits. Any other text is compared exactly.
   *
   * @throws IllegalArgumentException if the text is empty, or not an address or block for {@code
   *     ip}
   */
  static Pattern parse(String attribute, String text) {
    if (text.isEmpty()) {
      throw new IllegalArgumentException(
          "the pattern for '%s' is empty; use '*' to match any value".formatted(attribute));
    }
    boolean glob = Glob.isGlob(text);
    if (attribute.equals(Cidr.ATTRIBUTE) && !glob) return Cidr.parse(text);
    return glob ? Glob.parse(text) : new Exactly(Glob.unescape(text));
  }

  /** Returns a pattern that matches if any of the patterns does. */
  static Pattern anyOf(List<Pattern> patterns) {
    return patterns.size() == 1 ? patterns.getFirst() : new AnyOf(patterns);
  }

  private static void requirePresent(Pattern part) {
    if (part.matchesAbsent()) {
      throw new IllegalArgumentException(
          "'%s' can't be part of another pattern; let the whole condition match absent attributes"
              .formatted(part.text()));
    }
  }

  /** Matches one value. */
  record Exactly(String value) implements Pattern {
    @Override
    public boolean matches(String other) {
      return value.equals(other);
    }

    @Override
    public boolean isWildcard() {
      return false;
    }

    @Override
    public String text() {
      return value.replace("\\", "\\\\").replace("*", "\\*");
    }
  }

  /** Matches if any of several patterns matches. */
  record AnyOf(List<Pattern> patterns) implements Pattern {
    /** Throws {@link IllegalArgumentException} if there is no pattern. */
    public AnyOf {
      if (patterns.isEmpty()) {
        throw new IllegalArgumentException("a list of patterns must name at least one");
      }
      patterns.forEach(Pattern::requirePresent);
      patterns = List.copyOf(patterns);
    }

    @Override
    public boolean matches(String value) {
      for (var pattern : patterns) {
        if (pattern.matches(value)) return true;
      }
      return false;
    }

    @Override
    public boolean isWildcard() {
      return patterns.stream().anyMatch(Pattern::isWildcard);
    }

    @Override
    public String text() {
      var texts = new ArrayList<String>();
      for (var pattern : patterns) texts.add(pattern.text());
      return texts.toString();
    }
  }

  /** Matches the values that {@code pattern} matches and {@code excluded} does not. */
  record Except(Pattern pattern, Pattern excluded) implements Pattern {
    /** Throws {@link IllegalArgumentException} if one of the patterns has exceptions itself. */
    public Except {
      if (pattern instanceof Except || excluded instanceof Except) {
        throw new IllegalArgumentException("an exception can't have exceptions; list all in one");
      }
      requirePresent(pattern);
      requirePresent(excluded);
    }

    @Override
    public boolean matches(String value) {
      return pattern.matches(value) && !excluded.matches(value);
    }

    @Override
    public boolean isWildcard() {
      return pattern.isWildcard();
    }

    @Override
    public String text() {
      return pattern.text() + " except " + excluded.text();
    }
  }

  /** Matches the values that {@code pattern} matches, and subjects without the attribute. */
  record OrAbsent(Pattern pattern) implements Pattern {
    /** Throws {@link IllegalArgumentException} if the pattern matches absent attributes itself. */
    public OrAbsent {
      requirePresent(pattern);
    }

    @Override
    public boolean matches(String value) {
      return pattern.matches(value);
    }

    @Override
    public boolean matchesAbsent() {
      return true;
    }

    @Override
    public boolean isWildcard() {
      return pattern.isWildcard();
    }

    @Override
    public String text() {
      return pattern.text() + " or absent";
    }
  }

  /** Matches subjects without the attribute only. */
  record Absent() implements Pattern {
    @Override
    public boolean matches(String value) {
      return false;
    }

    @Override
    public boolean matchesAbsent() {
      return true;
    }

    @Override
    public boolean isWildcard() {
      return false;
    }

    @Override
    public String text() {
      return "absent";
    }
  }

  /** Text in which each {@code *} matches any sequence of characters, including none. */
  record Glob(String text, List<String> pieces) implements Pattern {
    /** Copies the list. */
    public Glob {
      pieces = List.copyOf(pieces);
    }

    static boolean isGlob(String text) {
      for (int i = 0; i < text.length(); i++) {
        if (text.charAt(i) == '\\') i++;
        else if (text.charAt(i) == '*') return true;
      }
      return false;
    }

    /** Removes the backslash that escapes a {@code *} or another backslash. */
    static String unescape(String text) {
      return text.replaceAll("\\\\([*\\\\])", "$1");
    }

    /** Parses a glob. */
    public static Glob parse(String text) {
      var pieces = new ArrayList<String>();
      int start = 0;
      for (int i = 0; i < text.length(); i++) {
        if (text.charAt(i) == '\\') {
          i++;
        } else if (text.charAt(i) == '*') {
          pieces.add(unescape(text.substring(start, i)));
          start = i + 1;
        }
      }
      pieces.add(unescape(text.substring(start)));
      return new Glob(text, pieces);
    }

    /** Returns the text before the first {@code *}; may be empty. */
    public String prefix() {
      return pieces.getFirst();
    }

    /** Returns whether every value matches. */
    boolean matchesEverything() {
      return isPrefix() && prefix().isEmpty();
    }

    /** Returns whether the glob is a prefix followed by a single {@code *}. */
    boolean isPrefix() {
      return pieces.size() == 2 && pieces.getLast().isEmpty();
    }

    @Override
    public boolean matches(String value) {
      String last = pieces.getLast();
      if (!value.startsWith(prefix())) return false;
      int from = prefix().length();
      int to = value.length() - last.length();
      if (to < from || !value.endsWith(last)) return false;
      // Leftmost matching is sufficient: it leaves the most text for the rest, so no backtracking.
      for (int i = 1; i < pieces.size() - 1; i++) {
        String piece = pieces.get(i);
        int at = value.indexOf(piece, from);
        if (at < 0 || at + piece.length() > to) return false;
        from = at + piece.length();
      }
      return true;
    }

    @Override
    public boolean isWildcard() {
      return true;
    }
  }

  /**
   * A CIDR block of IPv4 or IPv6 addresses. An IPv6 block that contains the whole IPv4-mapped
   * range, such as {@code ::/0}, matches IPv6 addresses only.
   */
  record Cidr(String text, long high, long low, int bits) implements Pattern {
    /** The attribute whose values are addresses. */
    public static final String ATTRIBUTE = "ip";

    /** The length of the IPv4-mapped prefix of IPv6 addresses. */
    static final int V4_PREFIX_BITS = 96;

    /**
     * Parses an address or a block such as {@code 10.0.0.0/8}.
     *
     * @throws IllegalArgumentException if the text is neither
     */
    public static Cidr parse(String text) {
      int slash = text.indexOf('/');
      var address = IpAddress.parse(slash < 0 ? text : text.substring(0, slash));
      if (address == null) throw invalid(text);
      boolean v4 = address.isV4() && text.indexOf(':') < 0;
      int maxBits = v4 ? 32 : 128;
      int bits = slash < 0 ? maxBits : length(text, slash + 1);
      if (bits > maxBits) throw invalid(text);
      return new Cidr(text, address.high(), address.low(), v4 ? bits + V4_PREFIX_BITS : bits);
    }

    private static int length(String text, int from) {
      int digits = text.length() - from;
      if (digits < 1 || digits > 3) throw invalid(text);
      int value = 0;
      for (int i = from; i < text.length(); i++) {
        char c = text.charAt(i);
        if (c < '0' || c > '9') throw invalid(text);
        value = value * 10 + (c - '0');
      }
      return value;
    }

    private static IllegalArgumentException invalid(String text) {
      return new IllegalArgumentException(
          "'%s' is neither an IP address nor a block such as 10.0.0.0/8 or 2001:db8::/32"
              .formatted(text));
    }

    /** Returns whether no counter value has addresses both inside and outside of the block. */
    boolean isWholeKeys() {
      return bits <= IpAddress.KEY_BITS || (bits >= V4_PREFIX_BITS && address().isV4());
    }

    /** Returns the address before the slash, with all of its bits. */
    public IpAddress address() {
      return new IpAddress(high, low);
    }

    @Override
    public boolean matches(String value) {
      var address = IpAddress.parse(value);
      return address != null
          && address.sharesPrefix(address(), bits)
          && (bits >= V4_PREFIX_BITS || !address.isV4());
    }

    @Override
    public boolean isWildcard() {
      return bits < 128;
    }
  }
}
