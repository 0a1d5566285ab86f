package io.headgate.server.api;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.text.Normalizer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The tokens that are good now, several of each role so that one can be replaced while the other
 * still works. Only their digests are kept, and nothing here repeats a token: neither messages nor
 * {@code toString}.
 */
public final class TokenSet {
  public static final TokenSet NONE = new TokenSet(List.of());

  static final int MOST = 1_000;
  private static final int LONGEST = 512;

  /** Of a token that is not to be guessed: 16 characters of 64 are 96 bits. */
  public static final int SHORTEST = 16;

  private static final int MOST_ADDRESSES = 64; // of one token, remembered

  @SuppressWarnings("ArrayRecordComponent") // compared by nothing but isEqual
  private record Token(Role role, String name, byte[] digest, Set<ClientAddress> seenFrom) {
    Token(Role role, String name, byte[] digest) {
      this(role, name, digest, ConcurrentHashMap.newKeySet());
    }
  }

  private final List<Token> tokens;

  private TokenSet(List<Token> tokens) {
    this.tokens = tokens;
  }

  /** These and one more, for checks. */
  public TokenSet withCheck(String token, String name) {
    return with(Role.CHECK, token, name);
  }

  /** These and one more, for reading rules and figures. */
  public TokenSet withRead(String token, String name) {
    return with(Role.READ, token, name);
  }

  /** These and one more, for everything. */
  public TokenSet withAdmin(String token, String name) {
    return with(Role.ADMIN, token, name);
  }

  /** Those of both. */
  public TokenSet and(TokenSet others) {
    var all = new ArrayList<>(tokens);
    for (var other : others.tokens) add(all, other);
    return new TokenSet(List.copyOf(all));
  }

  private TokenSet with(Role role, String token, String name) {
    return and(new TokenSet(List.of(new Token(role, name, digest(checked(role, token))))));
  }

  private static void add(List<Token> all, Token token) {
    for (var known : all) {
      if (!MessageDigest.isEqual(known.digest, token.digest)) continue;
      if (known.role == token.role) return;
      throw new IllegalArgumentException(
          "one token is given as %s and as %s token; give each role a token of its own"
              .formatted(known.role.text(), token.role.text()));
    }
    if (all.size() == MOST) {
      throw new IllegalArgumentException("there may be at most %d tokens".formatted(MOST));
    }
    all.add(token);
  }

  boolean has(Role role) {
    return tokens.stream().anyMatch(token -> token.role == role);
  }

  boolean isEmpty() {
    return tokens.isEmpty();
  }

  /** Whose token this is. Looks at every one, wherever it fits, so that the time tells nothing. */
  Optional<Bearer> bearer(String shown) {
    if (tokens.isEmpty() || shown.isEmpty()) return Optional.empty();
    byte[] digest = digest(shown);
    Optional<Bearer> found = Optional.empty();
    for (var token : tokens) {
      if (MessageDigest.isEqual(token.digest, digest)) {
        found = Optional.of(new Bearer(token.role, token.name, token.seenFrom));
      }
    }
    return found;
  }

  /**
   * Who shows a token.
   *
   * @param name may be empty
   * @param seenFrom addresses from which it has been shown
   */
  record Bearer(Role role, String name, Set<ClientAddress> seenFrom) {
    void seen(ClientAddress from) {
      if (seenFrom.contains(from)) return;
      if (seenFrom.size() >= MOST_ADDRESSES) seenFrom.clear();
      seenFrom.add(from);
    }
  }

  /** Whether one of the tokens has this name, whatever its case and width. */
  boolean hasName(String name) {
    String folded = folded(name);
    return tokens.stream()
        .anyMatch(token -> !token.name.isEmpty() && folded(token.name).equals(folded));
  }

  public static String folded(String name) {
    return Normalizer.normalize(name, Normalizer.Form.NFKC)
        .toLowerCase(Locale.ROOT)
        .replaceAll("\\s+", " ")
        .strip();
  }

  /**
   * Refuses a token that can be guessed.
   *
   * @throws IllegalArgumentException which does not repeat it
   */
  public static void requireLong(String role, String token) {
    if (token.length() >= SHORTEST) return;
    throw new IllegalArgumentException(
        "%s-token has %d characters and could be guessed; it must have at least %d. Make one with: openssl rand -hex 32"
            .formatted(role, token.length(), SHORTEST));
  }

  /** A token travels in a header: visible ASCII without spaces. */
  private static String checked(Role role, String token) {
    boolean ok = !token.isEmpty() && token.chars().allMatch(c -> c > ' ' && c < 0x7f);
    if (!ok) {
      throw new IllegalArgumentException(
          "%s-token must be one or more visible ASCII characters without spaces"
              .formatted(role.text()));
    }
    if (token.length() > LONGEST) {
      throw new IllegalArgumentException(
          "%s-token may have at most %d characters".formatted(role.text(), LONGEST));
    }
    return token;
  }

  private static byte[] digest(String token) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  /** How many of each role, with the names that were given them; what a log may say. */
  @Override
  public String toString() {
    var parts = new ArrayList<String>();
    for (var role : List.of(Role.ADMIN, Role.READ, Role.CHECK)) {
      long count = tokens.stream().filter(token -> token.role == role).count();
      if (count == 0) continue;
      var names =
          tokens.stream()
              .filter(token -> token.role == role && !token.name.isEmpty())
              .map(Token::name)
              .toList();
      parts.add(
          count
              + " "
              + role.text()
              + (names.isEmpty() ? "" : " (" + String.join(", ", names) + ")"));
    }
    return parts.isEmpty() ? "none" : String.join(", ", parts);
  }
}
