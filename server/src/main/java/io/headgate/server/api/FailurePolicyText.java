package io.headgate.server.api;

import io.headgate.rule.FailurePolicy;

/** Writes failure policies as in rule files. */
public final class FailurePolicyText {
  /** Returns the name of a policy, without the time of {@code allow-then-deny}. */
  public static String of(FailurePolicy policy) {
    return switch (policy) {
      case FailurePolicy.Allow allow -> "allow";
      case FailurePolicy.Deny deny -> "deny";
      case FailurePolicy.Local local -> "local";
      case FailurePolicy.AllowThenDeny allowThenDeny -> "allow-then-deny";
    };
  }

  /** Returns the name of a policy, with the time of {@code allow-then-deny}. */
  public static String withGrace(FailurePolicy policy) {
    if (!(policy instanceof FailurePolicy.AllowThenDeny(var grace))) return of(policy);
    boolean seconds = grace.toMillisPart() == 0;
    return of(policy) + (seconds ? " " + grace.toSeconds() + "s" : " " + grace.toMillis() + "ms");
  }

  private FailurePolicyText() {}
}
