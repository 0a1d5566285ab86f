package io.headgate.server.api;

import io.headgate.http.ClientAddress;
import io.vertx.core.http.HttpConnection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Authorizes requests by the bearer token they carry.
 *
 * <p>Without any token every operation is open, so a service without tokens listens on the loopback
 * interface only. Checks stay open until a check token is set. As soon as any token is set,
 * reading, reporting load and administering require a token of their own; with only a check token
 * configured, all three are disabled. Thread-safe.
 */
public final class AccessControl {
  /** Has no tokens and allows every operation. */
  public static final AccessControl OPEN = new AccessControl(TokenSet.NONE);

  private static final String SCHEME = "Bearer ";

  private final TokenGuessThrottle throttle;
  private volatile TokenSet tokens;

  /** Creates access control for the given tokens. */
  public AccessControl(TokenSet tokens) {
    this(tokens, System::nanoTime);
  }

  /**
   * @param nanos the clock by which wrong tokens are throttled
   */
  AccessControl(TokenSet tokens, LongSupplier nanos) {
    this.tokens = tokens;
    this.throttle = new TokenGuessThrottle(nanos);
  }

  /** Creates access control with at most one admin token and one check token, both unnamed. */
  public AccessControl(Optional<String> adminToken, Optional<String> checkToken) {
    this(tokenSet(adminToken, checkToken));
  }

  private static TokenSet tokenSet(Optional<String> adminToken, Optional<String> checkToken) {
    var admin = adminToken.map(value -> TokenSet.NONE.withAdmin(value, "")).orElse(TokenSet.NONE);
    return checkToken.map(value -> admin.withCheck(value, "")).orElse(admin);
  }

  /**
   * Replaces the tokens. The next request is authorized by the new ones; tokens that are not among
   * them are revoked.
   *
   * @throws IllegalArgumentException if an operation that requires a token would become open
   */
  public void replace(TokenSet changed) {
    for (var role : List.of(Role.ADMIN, Role.CHECK, Role.USAGE, Role.LEASE, Role.READ)) {
      boolean required = role != Role.READ || changed.isEmpty(); // admin tokens read, too
      if (required && tokens.has(role) && !changed.has(role)) {
        throw new IllegalArgumentException(
            "the last %s token can't be removed while the service runs; add a new one, or restart without"
                .formatted(role.text()));
      }
    }
    tokens = changed;
  }

  /** Returns whether no token is configured. */
  public boolean isUnguarded() {
    return tokens.isEmpty();
  }

  /** Returns whether an admin token is configured. */
  public boolean hasAdminToken() {
    return tokens.has(Role.ADMIN);
  }

  /**
   * Authorizes a request for an operation of a role. Once an address has sent too many wrong
   * tokens, it must wait before another token of it is accepted. Tokens that were accepted from
   * that address before stay accepted, since clients may share an address.
   *
   * @param authorization the value of the {@code Authorization} header, or null
   * @throws ProblemException with status 401, 403 or 429 if the request is not authorized
   */
  public void require(Role role, @Nullable String authorization, HttpConnection connection) {
    var needed = required(tokens, role);
    if (needed == Role.PUBLIC || isOpen(tokens, needed)) return;
    var from = PeerAddress.of(connection).network();
    var bearer = authenticate(authorization, from);
    try {
      require(needed, authorization);
      bearer.ifPresent(known -> known.recordAddress(from));
    } catch (ProblemException e) {
      if (bearer.isPresent()) {
        throttle.logRejection("a %s token".formatted(bearer.get().role().text()), from, needed);
      } else if (!bearerToken(authorization).isEmpty()) {
        throttle.recordFailure(from, needed);
      }
      throw e;
    }
  }

  /** Returns the bearer of the token; throws if the address has sent too many wrong tokens. */
  private Optional<TokenSet.Bearer> authenticate(
      @Nullable String authorization, ClientAddress from) {
    String token = bearerToken(authorization);
    var bearer = tokens.bearer(token);
    long wait = token.isEmpty() ? 0 : throttle.waitNanos(from);
    if (wait > 0 && (bearer.isEmpty() || !bearer.get().addresses().contains(from))) {
      long seconds = TimeUnit.NANOSECONDS.toSeconds(wait) + 1;
      throw new ProblemException(
          ProblemDocument.of(
                  429,
                  "too many wrong tokens from this address; try again in %d s".formatted(seconds))
              .with("Retry-After", Long.toString(seconds)));
    }
    return bearer;
  }

  private void require(Role role, @Nullable String authorization) {
    var now = tokens;
    var needed = required(now, role);
    if (needed == Role.PUBLIC || isOpen(now, needed)) return;
    String token = bearerToken(authorization);
    var bearer = now.bearer(token);
    if (bearer.isPresent() && bearer.get().role().covers(needed)) return;
    if (isDisabled(now, needed)) {
      throw new ProblemException(
          ProblemDocument.of(
              403,
              "no %s token is set, so this operation is disabled; start with --%s-token"
                  .formatted(needed.text(), needed.text())));
    }
    if (bearer.isPresent()) {
      throw new ProblemException(
          ProblemDocument.of(
              403,
              "a %s token does not permit this operation; use a token of role %s"
                  .formatted(bearer.get().role().text(), needed.text())));
    }
    throw new ProblemException(
        ProblemDocument.of(
                401,
                token.isEmpty()
                    ? "a token is needed; send the header Authorization: Bearer <token>"
                    : "the token is not valid for this service")
            .with("WWW-Authenticate", "Bearer realm=\"headgate\""));
  }

  /** Returns whether {@link #require} would authorize the request. Does not count wrong tokens. */
  public boolean allows(Role needed, Optional<String> authorization) {
    try {
      require(needed, authorization.orElse(null));
      return true;
    } catch (ProblemException e) {
      return false;
    }
  }

  /**
   * The reason why a request is not authorized.
   *
   * @param status as in HTTP: 401 without a valid token, 403 if the token does not permit the
   *     operation, 429 after too many wrong tokens
   */
  public record Denial(int status, String reason) {}

  /**
   * Returns why the request may not check limits, or empty if it may. For protocols other than
   * HTTP.
   */
  public Optional<Denial> checkDenial(@Nullable String authorization, HttpConnection connection) {
    return denial(Role.CHECK, authorization, connection);
  }

  /** Returns why the request may not use operations of a role, or empty if it may. */
  public Optional<Denial> denial(
      Role role, @Nullable String authorization, HttpConnection connection) {
    try {
      require(role, authorization, connection);
      return Optional.empty();
    } catch (ProblemException e) {
      return Optional.of(new Denial(e.problem().status(), e.problem().detail()));
    }
  }

  /** Returns the name of the token; empty without a token or if the token has no name. */
  public String caller(Optional<String> authorization) {
    return tokens
        .bearer(bearerToken(authorization.orElse(null)))
        .map(TokenSet.Bearer::name)
        .orElse("");
  }

  /**
   * The role of a request.
   *
   * @param role the role of its token; {@code none} if the token is not valid, {@code admin} if no
   *     tokens are configured
   * @param guarded whether tokens are configured
   * @param name the name of the token; may be empty
   */
  public record Identity(String role, boolean guarded, String name) {}

  /**
   * Returns the role of a request, and counts a wrong token.
   *
   * @throws ProblemException with status 429 if the address has sent too many wrong tokens
   */
  public Identity identify(Optional<String> authorization, ClientAddress peer) {
    if (tokens.isEmpty()) return new Identity(Role.ADMIN.text(), false, "");
    var from = peer.network();
    var bearer = authenticate(authorization.orElse(null), from);
    bearer.ifPresent(known -> known.recordAddress(from));
    if (bearer.isEmpty() && !bearerToken(authorization.orElse(null)).isEmpty()) {
      throttle.recordFailure(from, Role.PEEK);
    }
    return bearer
        .map(known -> new Identity(known.role().text(), true, known.name()))
        .orElse(new Identity("none", true, ""));
  }

  /**
   * Derives a secret key from the first admin token, so that all instances with this token have the
   * same key. It does not reveal the token. Empty without an admin token.
   *
   * @param purpose keys for different purposes differ
   */
  public Optional<byte[]> deriveKey(String purpose) {
    return tokens.deriveKey(purpose);
  }

  /** Returns whether the name could be mistaken for that of a token; case and width are ignored. */
  public boolean isTokenName(String name) {
    return tokens.hasName(name);
  }

  /** Returns the caller's name for the audit log: the name of its token if it has one. */
  public String auditName(Optional<String> authorization) {
    String name = caller(authorization);
    if (!name.isEmpty()) return "token " + name;
    return hasAdminToken() ? "an admin token without a name" : "anonymous";
  }

  /** Returns the role that an operation requires with these tokens. */
  private static Role required(TokenSet tokens, Role role) {
    return role.isPartOfChecks() && !tokens.has(role) ? Role.CHECK : role;
  }

  private static boolean isOpen(TokenSet tokens, Role needed) {
    return switch (needed) {
      case PUBLIC -> true;
      case PEEK, CHECK -> !tokens.has(Role.CHECK);
      case USAGE, LEASE -> false; // one that has no token is part of CHECK
      case SIGNAL, REGION, READ, ADMIN -> tokens.isEmpty();
    };
  }

  private static boolean isDisabled(TokenSet tokens, Role needed) {
    return switch (needed) {
      case PUBLIC, PEEK, CHECK, USAGE, LEASE -> false;
      case SIGNAL -> !tokens.has(Role.SIGNAL) && !tokens.has(Role.ADMIN);
      case REGION -> !tokens.has(Role.REGION) && !tokens.has(Role.ADMIN);
      case READ -> !tokens.has(Role.READ) && !tokens.has(Role.ADMIN);
      case ADMIN -> !tokens.has(Role.ADMIN);
    };
  }

  private static String bearerToken(@Nullable String authorization) {
    if (authorization == null) return "";
    boolean bearer = authorization.regionMatches(true, 0, SCHEME, 0, SCHEME.length());
    return bearer ? authorization.substring(SCHEME.length()).strip() : "";
  }
}
