package io.headgate.rule;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** What the value of one attribute must be. */
public sealed interface Pattern {

  boolean matches(String value);

  /**
   * Whether many values match, so that each gets a counter of its own unless the rule says else.
   */
  boolean isOpen();

  /** As it is written in a rule. */
  String text();

  /**
   * Whether all values that share a counter key (see {@link Subject#counterValue}) match alike. The
   * key of an IPv6 address is its /64, and an address can be written in several ways, so that of
   * the patterns for {@code ip} only blocks of whole keys qualify.
   */
  default boolean isDeterminedByKey(String attribute) {
    return !attribute.equals(Cidr.ATTRIBUTE)
        || switch (this) {
          case Cidr block -> block.isWholeKeys();
          case Glob glob -> glob.isAnything();
          case AnyOf anyOf ->
              anyOf.patterns.stream().allMatch(one -> one.isDeterminedByKey(attribute));
          case Except except ->
              except.pattern.isDeterminedByKey(attribute)
                  && except.excluded.isDeterminedByKey(attribute);
          case Exactly exactly -> false;
        };
  }

  /** A text that is equal for patterns that are equal, whatever the order of their lists. */
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
    };
  }

  /**
   * Reads a pattern as it is written in a rule: text with a {@code *} is a glob, for the attribute
   * {@code ip} an address or a CIDR block is compared as bits, anything else is compared exactly.
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

  static Pattern anyOf(List<Pattern> patterns) {
    return patterns.size() == 1 ? patterns.getFirst() : new AnyOf(patterns);
  }

  /** This value and no other. */
  record Exactly(String value) implements Pattern {
    @Override
    public boolean matches(String other) {
      return value.equals(other);
    }

    @Override
    public boolean isOpen() {
      return false;
    }

    @Override
    public String text() {
      return value.replace("\\", "\\\\").replace("*", "\\*");
    }
  }

  /** One of several. */
  record AnyOf(List<Pattern> patterns) implements Pattern {
    public AnyOf {
      if (patterns.isEmpty()) {
        throw new IllegalArgumentException("a list of patterns must name at least one");
      }
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
    public boolean isOpen() {
      return patterns.stream().anyMatch(Pattern::isOpen);
    }

    @Override
    public String text() {
      var texts = new ArrayList<String>();
      for (var pattern : patterns) texts.add(pattern.text());
      return texts.toString();
    }
  }

  /** What the one matches, and the other does not. */
  record Except(Pattern pattern, Pattern excluded) implements Pattern {
    public Except {
      if (pattern instanceof Except || excluded instanceof Except) {
        throw new IllegalArgumentException("an exception can't have exceptions; list all in one");
      }
    }

    @Override
    public boolean matches(String value) {
      return pattern.matches(value) && !excluded.matches(value);
    }

    @Override
    public boolean isOpen() {
      return pattern.isOpen();
    }

    @Override
    public String text() {
      return pattern.text() + " except " + excluded.text();
    }
  }

  /** Text in which each {@code *} stands for any characters, also none. */
  record Glob(String text, List<String> pieces) implements Pattern {
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

    /** A backslash before {@code *} or another backslash takes it literally. */
    static String unescape(String text) {
      return text.replaceAll("\\\\([*\\\\])", "$1");
    }

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

    /** What every match begins with; may be empty. */
    public String prefix() {
      return pieces.getFirst();
    }

    /** Whether every value matches. */
    boolean isAnything() {
      return isPrefix() && prefix().isEmpty();
    }

    /** Whether the prefix is all there is to it. */
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
      // The earliest place for each piece leaves the most room for the rest: no need to go back.
      for (int i = 1; i < pieces.size() - 1; i++) {
        String piece = pieces.get(i);
        int at = value.indexOf(piece, from);
        if (at < 0 || at + piece.length() > to) return false;
        from = at + piece.length();
      }
      return true;
    }

    @Override
    public boolean isOpen() {
      return true;
    }
  }

  /**
   * A block of addresses, IPv4 or IPv6. An IPv6 block that is wider than all of IPv4, such as
   * {@code ::/0}, speaks of IPv6 alone.
   */
  record Cidr(String text, long high, long low, int bits) implements Pattern {
    /** The attribute whose values are addresses. */
    public static final String ATTRIBUTE = "ip";

    static final int ALL_OF_V4 = 96;

    public static Cidr parse(String text) {
      int slash = text.indexOf('/');
      var address = IpAddress.parse(slash < 0 ? text : text.substring(0, slash));
      if (address == null) throw notOne(text);
      boolean v4 = address.isV4() && text.indexOf(':') < 0;
      int longest = v4 ? 32 : 128;
      int bits = slash < 0 ? longest : length(text, slash + 1);
      if (bits > longest) throw notOne(text);
      return new Cidr(text, address.high(), address.low(), v4 ? bits + ALL_OF_V4 : bits);
    }

    private static int length(String text, int from) {
      int digits = text.length() - from;
      if (digits < 1 || digits > 3) throw notOne(text);
      int value = 0;
      for (int i = from; i < text.length(); i++) {
        char c = text.charAt(i);
        if (c < '0' || c > '9') throw notOne(text);
        value = value * 10 + (c - '0');
      }
      return value;
    }

    private static IllegalArgumentException notOne(String text) {
      return new IllegalArgumentException(
          "'%s' is neither an IP address nor a block such as 10.0.0.0/8 or 2001:db8::/32"
              .formatted(text));
    }

    /** Whether no counter key has addresses both inside and outside of the block. */
    boolean isWholeKeys() {
      return bits <= IpAddress.KEY_BITS || (bits >= ALL_OF_V4 && address().isV4());
    }

    IpAddress address() {
      return new IpAddress(high, low);
    }

    @Override
    public boolean matches(String value) {
      var address = IpAddress.parse(value);
      return address != null
          && address.sharesPrefix(address(), bits)
          && (bits >= ALL_OF_V4 || !address.isV4());
    }

    @Override
    public boolean isOpen() {
      return bits < 128;
    }
  }
}
