package io.headgate.server.api;

import io.headgate.http.ClientAddress;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.text.Normalizer;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The valid tokens. A role may have several, so that a token can be replaced while the old one
 * still works. Only SHA-256 digests are stored; neither messages nor {@code toString} contain a
 * token. The set is immutable; the addresses seen with each token are updated concurrently.
 */
public final class TokenSet {
  /** The set without tokens. */
  public static final TokenSet NONE = new TokenSet(List.of());

  static final int MAX_TOKENS = 1_000;
  private static final int MAX_LENGTH = 512;

  /** The minimum length of a token: 16 characters of 64 are 96 bits. */
  public static final int MIN_LENGTH = 16;

  private static final int MAX_ADDRESSES = 64; // tracked for each token

  @SuppressWarnings("ArrayRecordComponent") // compared by MessageDigest.isEqual only
  private record Token(Role role, String name, byte[] digest, Set<ClientAddress> addresses) {
    Token(Role role, String name, byte[] digest) {
      this(role, name, digest, ConcurrentHashMap.newKeySet());
    }
  }

  private final List<Token> tokens;
  private final Set<Role> roles = EnumSet.noneOf(Role.class); // that have a token

  private TokenSet(List<Token> tokens) {
    this.tokens = tokens;
    for (var token : tokens) roles.add(token.role);
  }

  /** Returns this set and one more token for checks. */
  public TokenSet withCheck(String token, String name) {
    return with(Role.CHECK, token, name);
  }

  /** Returns this set and one more token for reporting usage. */
  public TokenSet withUsage(String token, String name) {
    return with(Role.USAGE, token, name);
  }

  /** Returns this set and one more token for leases of clients. */
  public TokenSet withLease(String token, String name) {
    return with(Role.LEASE, token, name);
  }

  /** Returns this set and one more token for reporting the load of backends. */
  public TokenSet withSignal(String token, String name) {
    return with(Role.SIGNAL, token, name);
  }

  /** Returns this set and one more token for instances of other regions. */
  public TokenSet withRegion(String token, String name) {
    return with(Role.REGION, token, name);
  }

  /** Returns this set and one more token for reading rules and statistics. */
  public TokenSet withRead(String token, String name) {
    return with(Role.READ, token, name);
  }

  /** Returns this set and one more token for everything. */
  public TokenSet withAdmin(String token, String name) {
    return with(Role.ADMIN, token, name);
  }

  /**
   * Returns the union of both sets.
   *
   * @throws IllegalArgumentException if a token has different roles in the two, or there are more
   *     than 1,000
   */
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
    if (all.size() == MAX_TOKENS) {
      throw new IllegalArgumentException("there may be at most %d tokens".formatted(MAX_TOKENS));
    }
    all.add(token);
  }

  boolean has(Role role) {
    return roles.contains(role);
  }

  boolean isEmpty() {
    return tokens.isEmpty();
  }

  /**
   * Returns the role and name of a token; empty if it is not valid. Compares it with every token in
   * constant time, so that the duration reveals nothing.
   */
  Optional<Bearer> bearer(String token) {
    if (tokens.isEmpty() || token.isEmpty()) return Optional.empty();
    byte[] digest = digest(token);
    Optional<Bearer> found = Optional.empty();
    for (var known : tokens) {
      if (MessageDigest.isEqual(known.digest, digest)) {
        found = Optional.of(new Bearer(known.role, known.name, known.addresses));
      }
    }
    return found;
  }

  /**
   * The role and name of a valid token.
   *
   * @param name may be empty
   * @param addresses the addresses that have sent the token
   */
  record Bearer(Role role, String name, Set<ClientAddress> addresses) {
    void recordAddress(ClientAddress from) {
      if (addresses.contains(from)) return;
      if (addresses.size() >= MAX_ADDRESSES) addresses.clear();
      addresses.add(from);
    }
  }

  /** Returns whether a token has this name, ignoring case and width. */
  boolean hasName(String name) {
    String folded = folded(name);
    return tokens.stream()
        .anyMatch(token -> !token.name.isEmpty() && folded(token.name).equals(folded));
  }

  /** Returns the name in the form in which names are compared: NFKC, lower case, single spaces. */
  public static String folded(String name) {
    return Normalizer.normalize(name, Normalizer.Form.NFKC)
        .toLowerCase(Locale.ROOT)
        .replaceAll("\\s+", " ")
        .strip();
  }

  /**
   * Rejects a token that is short enough to be guessed.
   *
   * @throws IllegalArgumentException whose message does not contain the token
   */
  public static void requireMinLength(String role, String token) {
    if (token.length() >= MIN_LENGTH) return;
    throw new IllegalArgumentException(
        "%s-token has %d characters and could be guessed; it must have at least %d. Make one with: openssl rand -hex 32"
            .formatted(role, token.length(), MIN_LENGTH));
  }

  /** Validates a token, which travels in a header: visible ASCII without spaces. */
  private static String checked(Role role, String token) {
    boolean ok = !token.isEmpty() && token.chars().allMatch(c -> c > ' ' && c < 0x7f);
    if (!ok) {
      throw new IllegalArgumentException(
          "%s-token must be one or more visible ASCII characters without spaces"
              .formatted(role.text()));
    }
    if (token.length() > MAX_LENGTH) {
      throw new IllegalArgumentException(
          "%s-token may have at most %d characters".formatted(role.text(), MAX_LENGTH));
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

  /** Returns an HMAC of the purpose under the digest of the first admin token. */
  Optional<byte[]> deriveKey(String purpose) {
    return tokens.stream()
        .filter(token -> token.role == Role.ADMIN)
        .findFirst()
        .map(token -> hmac(token.digest, purpose));
  }

  private static byte[] hmac(byte[] key, String text) {
    try {
      var mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(key, "HmacSHA256"));
      return mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has HMAC-SHA256", e);
    }
  }

  /** Returns the number of tokens of each role and their names, for logs. */
  @Override
  public String toString() {
    var parts = new ArrayList<String>();
    for (var role :
        List.of(
            Role.ADMIN, Role.READ, Role.SIGNAL, Role.REGION, Role.CHECK, Role.USAGE, Role.LEASE)) {
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
