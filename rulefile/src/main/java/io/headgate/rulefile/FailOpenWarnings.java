package io.headgate.rulefile;

import io.headgate.limit.FairShare;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.LeakyBucket;
import io.headgate.limit.Limit;
import io.headgate.limit.Rate;
import io.headgate.limit.RollingWindow;
import io.headgate.limit.SlidingWindow;
import io.headgate.limit.SlotLimit;
import io.headgate.limit.Stateless;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.FailurePolicy;
import io.headgate.rule.Mode;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleLimit;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Warns of enforced rules that seem to protect secrets and admit every request while the store is
 * unavailable. An attacker who can overload the store could then guess without a limit.
 */
final class FailOpenWarnings {
  /** A rule of fewer permits an hour than this limits attempts rather than load. */
  private static final long FEW_PER_HOUR = 20;

  private static final long HOUR_MICROS = 3_600_000_000L;

  private static final Set<String> WORDS =
      Set.of(
          "login",
          "logins",
          "logon",
          "signin",
          "password",
          "passwords",
          "passwd",
          "token",
          "otp",
          "totp",
          "auth",
          "authenticate",
          "authentication",
          "oauth",
          "2fa",
          "mfa");

  /** An algorithm, and a spelling of signin that would be two words. */
  private static final Pattern TOKEN_BUCKET = Pattern.compile("token[- ]bucket");

  private static final Pattern SIGN_IN = Pattern.compile("sign[-_ ]in\\b");
  private static final Pattern SEPARATORS = Pattern.compile("[^\\p{L}\\p{N}]+");

  /** Returns the warning for a rule. */
  static Optional<String> of(Rule rule) {
    boolean open =
        switch (rule.onStoreFailure()) {
          case FailurePolicy.Allow allow -> true;
          case FailurePolicy.AllowThenDeny allow -> true;
          case FailurePolicy.Deny deny -> false;
          case FailurePolicy.Local local -> false;
        };
    if (!open || rule.mode() != Mode.ENFORCE || rule.limits().isEmpty()) return Optional.empty();
    return word(rule)
        .map("seems to protect a secret (%s)"::formatted)
        .or(() -> isRare(rule) ? Optional.of("allows few attempts") : Optional.empty())
        .map(why ->
            "rule '%s': %s, but admits every request while the store is unavailable (on-store-failure: %s). Use local, which keeps a limit in each instance, or deny"
                .formatted(Excerpt.shown(rule.id()), why, text(rule.onStoreFailure())));
  }

  private static String text(FailurePolicy policy) {
    return policy instanceof FailurePolicy.Allow ? "allow" : "allow-then-deny";
  }

  private static Optional<String> word(Rule rule) {
    var paths = Optional.ofNullable(rule.match().conditions().get("path"));
    var texts =
        Stream.concat(
            Stream.of(rule.id(), rule.description(), paths.map(path -> path.text()).orElse("")),
            rule.match().conditions().keySet().stream());
    return texts.flatMap(FailOpenWarnings::words).filter(WORDS::contains).findFirst();
  }

  private static Stream<String> words(String text) {
    String plain = TOKEN_BUCKET.matcher(text.toLowerCase(Locale.ROOT)).replaceAll(" ");
    return SEPARATORS.splitAsStream(SIGN_IN.matcher(plain).replaceAll("signin"));
  }

  private static boolean isRare(Rule rule) {
    return Stream.concat(
            Stream.of(rule.limits()), rule.overrides().stream().map(override -> override.limits()))
        .flatMap(List::stream)
        .map(RuleLimit::limit)
        .anyMatch(FailOpenWarnings::isRare);
  }

  private static boolean isRare(Limit limit) {
    return switch (limit) {
      case TokenBucket bucket -> isRare(bucket.rate());
      case FairShare fair -> isRare(fair.bucket().rate());
      case LeakyBucket bucket -> isRare(bucket.rate());
      case FixedWindow window -> isRare(window.permits(), window.window());
      case SlidingWindow window -> isRare(window.rate());
      case RollingWindow window -> isRare(window.rate());
      case SlotLimit slots -> false;
      case Stateless stateless -> false;
    };
  }

  private static boolean isRare(Rate rate) {
    return isRare(rate.permits(), rate.periodMicros());
  }

  private static boolean isRare(long permits, long periodMicros) {
    return permits < FEW_PER_HOUR * (double) periodMicros / HOUR_MICROS;
  }

  private FailOpenWarnings() {}
}
