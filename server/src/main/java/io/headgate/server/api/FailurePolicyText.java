package io.headgate.server.api;

import io.headgate.rule.FailurePolicy;

/** Writes failure policies as in rule files, without the time of {@code allow-then-deny}. */
public final class FailurePolicyText {
  /** Returns the name of a policy. */
  public static String of(FailurePolicy policy) {
    return switch (policy) {
      case FailurePolicy.Allow allow -> "allow";
      case FailurePolicy.Deny deny -> "deny";
      case FailurePolicy.Local local -> "local";
      case FailurePolicy.AllowThenDeny allowThenDeny -> "allow-then-deny";
    };
  }

  private FailurePolicyText() {}
}
