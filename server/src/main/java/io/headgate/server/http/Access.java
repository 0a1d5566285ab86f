package io.headgate.server.http;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Who may do what, by the token that they show.
 *
 * <p>Without tokens everything is open, which is why a service without any listens to its own
 * machine only. With an admin token alone, checks stay open. With a check token alone nobody is an
 * administrator.
 */
public final class Access {
  public static final Access OPEN = new Access(Optional.empty(), Optional.empty());

  private static final String SCHEME = "Bearer ";

  private final Optional<byte[]> admin;
  private final Optional<byte[]> check;

  public Access(Optional<String> adminToken, Optional<String> checkToken) {
    this.admin = adminToken.map(token -> bytes("admin-token", token));
    this.check = checkToken.map(token -> bytes("check-token", token));
  }

  public boolean hasAdminToken() {
    return admin.isPresent();
  }

  /** Lets the caller pass or throws the refusal. */
  void require(Role needed, @Nullable String authorization) {
    if (needed == Role.ANYBODY || isOpen(needed)) return;
    if (admin.isEmpty() && needed == Role.ADMIN) {
      throw new Refusal(
          Problem.of(
              403, "no admin token is set, so nobody may do this; start with --admin-token"));
    }
    var shown = shown(authorization);
    // Both are compared, whatever the first says, so that the time tells nothing.
    boolean isAdmin = matches(admin, shown);
    boolean isCheck = matches(check, shown);
    if (isAdmin || (isCheck && needed == Role.CHECK)) return;
    if (isCheck) {
      throw new Refusal(Problem.of(403, "the check token may not do this; use the admin token"));
    }
    throw new Refusal(
        Problem.of(
                401,
                shown.length == 0
                    ? "a token is needed; send the header Authorization: Bearer <token>"
                    : "this token is not one of this service's")
            .with("WWW-Authenticate", "Bearer realm=\"headgate\""));
  }

  /**
   * Why a caller may not ask.
   *
   * @param status as in HTTP: 401 if nobody knows who asks, 403 if somebody may not
   */
  public record Denial(int status, String reason) {}

  /** Why the caller may not check, if so: for what speaks other protocols. */
  public Optional<Denial> refusalOfCheck(@Nullable String authorization) {
    try {
      require(Role.CHECK, authorization);
      return Optional.empty();
    } catch (Refusal e) {
      return Optional.of(new Denial(e.problem().status(), e.problem().detail()));
    }
  }

  private boolean isOpen(Role needed) {
    return needed == Role.ADMIN ? admin.isEmpty() && check.isEmpty() : check.isEmpty();
  }

  private static byte[] shown(@Nullable String authorization) {
    if (authorization == null) return new byte[0];
    boolean bearer = authorization.regionMatches(true, 0, SCHEME, 0, SCHEME.length());
    String token = bearer ? authorization.substring(SCHEME.length()).strip() : "";
    return token.getBytes(StandardCharsets.UTF_8);
  }

  private static boolean matches(Optional<byte[]> token, byte[] shown) {
    return token.isPresent() && MessageDigest.isEqual(token.get(), shown);
  }

  /** A token travels in a header: visible ASCII without spaces. Messages never repeat it. */
  private static byte[] bytes(String name, String token) {
    boolean ok = !token.isEmpty() && token.chars().allMatch(c -> c > ' ' && c < 0x7f);
    if (!ok) {
      throw new IllegalArgumentException(
          "%s must be one or more visible ASCII characters without spaces".formatted(name));
    }
    return token.getBytes(StandardCharsets.US_ASCII);
  }
}
