package io.headgate.server.api;

import io.vertx.core.http.HttpConnection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Who may do what, by the token that they show.
 *
 * <p>Without tokens everything is open, which is why a service without any listens to its own
 * machine only. Checks are open until a check token is set. As soon as there is any token, reading
 * and administering need one of their own: with a check token alone nobody may.
 */
public final class AccessControl {
  public static final AccessControl OPEN = new AccessControl(TokenSet.NONE);

  private static final String SCHEME = "Bearer ";

  private final TokenGuessThrottle guesses;
  private volatile TokenSet tokens;

  public AccessControl(TokenSet tokens) {
    this(tokens, System::nanoTime);
  }

  /**
   * @param nanos the clock by which wrong tokens are limited
   */
  AccessControl(TokenSet tokens, LongSupplier nanos) {
    this.tokens = tokens;
    this.guesses = new TokenGuessThrottle(nanos);
  }

  public AccessControl(Optional<String> adminToken, Optional<String> checkToken) {
    this(of(adminToken, checkToken));
  }

  private static TokenSet of(Optional<String> adminToken, Optional<String> checkToken) {
    var admin = adminToken.map(token -> TokenSet.NONE.withAdmin(token, "")).orElse(TokenSet.NONE);
    return checkToken.map(token -> admin.withCheck(token, "")).orElse(admin);
  }

  /**
   * From the next request on these are the tokens; those that are not among them end.
   *
   * @throws IllegalArgumentException if what was guarded would be open to everybody
   */
  public void replace(TokenSet changed) {
    for (var role : List.of(Role.ADMIN, Role.CHECK, Role.READ)) {
      boolean guards = role != Role.READ || changed.isEmpty(); // else it takes an admin to read
      if (guards && tokens.has(role) && !changed.has(role)) {
        throw new IllegalArgumentException(
            "there would be no %s token any more; give a new one instead, or restart without"
                .formatted(role.text()));
      }
    }
    tokens = changed;
  }

  /** Whether there is no token at all. */
  public boolean isUnguarded() {
    return tokens.isEmpty();
  }

  public boolean hasAdminToken() {
    return tokens.has(Role.ADMIN);
  }

  /**
   * Lets the caller pass or throws the refusal. An address that sent too many wrong tokens must
   * wait with others; one that was good from there before stays so, for callers who share it.
   */
  public void require(Role needed, @Nullable String authorization, HttpConnection connection) {
    if (needed == Role.ANYBODY || isOpen(tokens, needed)) return;
    var from = ClientAddress.of(connection).caller();
    var bearer = identified(authorization, from);
    try {
      require(needed, authorization);
      bearer.ifPresent(known -> known.seen(from));
    } catch (ProblemException e) {
      if (bearer.isPresent()) {
        guesses.report("a %s token".formatted(bearer.get().role().text()), from, needed);
      } else if (!shown(authorization).isEmpty()) {
        guesses.wrong(from, needed);
      }
      throw e;
    }
  }

  /** Whose token is shown, unless too many wrong ones came from there. */
  private Optional<TokenSet.Bearer> identified(@Nullable String authorization, ClientAddress from) {
    String shown = shown(authorization);
    var bearer = tokens.bearer(shown);
    long wait = shown.isEmpty() ? 0 : guesses.waitNanos(from);
    if (wait > 0 && (bearer.isEmpty() || !bearer.get().seenFrom().contains(from))) {
      long seconds = TimeUnit.NANOSECONDS.toSeconds(wait) + 1;
      throw new ProblemException(
          ProblemDocument.of(
                  429,
                  "too many wrong tokens came from this address; try again in %d s"
                      .formatted(seconds))
              .with("Retry-After", Long.toString(seconds)));
    }
    return bearer;
  }

  private void require(Role needed, @Nullable String authorization) {
    var now = tokens;
    if (needed == Role.ANYBODY || isOpen(now, needed)) return;
    String shown = shown(authorization);
    var bearer = now.bearer(shown);
    if (bearer.isPresent() && bearer.get().role().covers(needed)) return;
    if (isNobodys(now, needed)) {
      throw new ProblemException(
          ProblemDocument.of(
              403,
              "no %s token is set, so nobody may do this; start with --%s-token"
                  .formatted(needed.text(), needed.text())));
    }
    if (bearer.isPresent()) {
      throw new ProblemException(
          ProblemDocument.of(
              403,
              "a %s token may not do this; use one that is good for %s"
                  .formatted(bearer.get().role().text(), needed.text())));
    }
    throw new ProblemException(
        ProblemDocument.of(
                401,
                shown.isEmpty()
                    ? "a token is needed; send the header Authorization: Bearer <token>"
                    : "this token is not one of this service's")
            .with("WWW-Authenticate", "Bearer realm=\"headgate\""));
  }

  /** Whether {@link #require} would let the caller pass. */
  public boolean allows(Role needed, Optional<String> authorization) {
    try {
      require(needed, authorization.orElse(null));
      return true;
    } catch (ProblemException e) {
      return false;
    }
  }

  /**
   * Why a caller may not ask.
   *
   * @param status as in HTTP: 401 if nobody knows who asks, 403 if somebody may not
   */
  public record Denial(int status, String reason) {}

  /** Why the caller may not check, if so: for what speaks other protocols. */
  public Optional<Denial> refusalOfCheck(
      @Nullable String authorization, HttpConnection connection) {
    try {
      require(Role.CHECK, authorization, connection);
      return Optional.empty();
    } catch (ProblemException e) {
      return Optional.of(new Denial(e.problem().status(), e.problem().detail()));
    }
  }

  /** The name that was given to the token that is shown; empty without token or name. */
  public String caller(Optional<String> authorization) {
    return tokens.bearer(shown(authorization.orElse(null))).map(TokenSet.Bearer::name).orElse("");
  }

  /**
   * What the caller may do.
   *
   * @param role of the token that is shown; none if it is not one of ours. Where there are no
   *     tokens anybody may do anything
   * @param name that was given to the token; may be empty
   */
  public record Standing(String role, boolean guarded, String name) {}

  public Standing standing(Optional<String> authorization, ClientAddress peer) {
    if (tokens.isEmpty()) return new Standing(Role.ADMIN.text(), false, "");
    var from = peer.caller();
    var bearer = identified(authorization.orElse(null), from);
    bearer.ifPresent(known -> known.seen(from));
    if (bearer.isEmpty() && !shown(authorization.orElse(null)).isEmpty()) {
      guesses.wrong(from, Role.PEEK);
    }
    return bearer
        .map(known -> new Standing(known.role().text(), true, known.name()))
        .orElse(new Standing("none", true, ""));
  }

  /** Whether a name that a caller gives would be taken for that of a token. */
  public boolean isNameOfAToken(String name) {
    return tokens.hasName(name);
  }

  /** What an audit says of the caller: the token's name, else what is known. */
  public String auditName(Optional<String> authorization) {
    String name = caller(authorization);
    if (!name.isEmpty()) return "token " + name;
    return hasAdminToken() ? "an admin token without a name" : "anonymous";
  }

  private static boolean isOpen(TokenSet tokens, Role needed) {
    return switch (needed) {
      case ANYBODY -> true;
      case PEEK, CHECK -> !tokens.has(Role.CHECK);
      case READ, ADMIN -> tokens.isEmpty();
    };
  }

  private static boolean isNobodys(TokenSet tokens, Role needed) {
    return switch (needed) {
      case ANYBODY, PEEK, CHECK -> false;
      case READ -> !tokens.has(Role.READ) && !tokens.has(Role.ADMIN);
      case ADMIN -> !tokens.has(Role.ADMIN);
    };
  }

  private static String shown(@Nullable String authorization) {
    if (authorization == null) return "";
    boolean bearer = authorization.regionMatches(true, 0, SCHEME, 0, SCHEME.length());
    return bearer ? authorization.substring(SCHEME.length()).strip() : "";
  }
}
