package io.headgate.server.http.check;

import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The fields of a check request, and the sets of fields that each endpoint accepts. */
public enum CheckField {
  KEY("key"),
  SUBJECT("subject"),
  COST("cost"),
  COSTS("costs"),
  WAIT("wait"),
  RULE("rule"),
  TTL("ttlMs"),
  USED("used"),
  CHECKS("checks"),
  TOKENS_REQUESTED("tokensRequested"),
  TOKENS("tokens");

  static final Set<CheckField> OF_CHECK = EnumSet.of(KEY, SUBJECT, COST, COSTS, WAIT);

  /** The fields that {@code /v1/peek} and the items of a batch accept. */
  public static final Set<CheckField> OF_PEEK = EnumSet.of(KEY, SUBJECT, COST, COSTS);

  /** The fields that {@code /v1/explain} accepts. */
  public static final Set<CheckField> OF_EXPLAIN = EnumSet.of(KEY, SUBJECT, COST, COSTS);

  static final Set<CheckField> OF_RESERVATION = EnumSet.of(KEY, SUBJECT, COST, COSTS, TTL);
  static final Set<CheckField> OF_LEASE = EnumSet.of(KEY, SUBJECT, COST, COSTS, CHECKS);
  static final Set<CheckField> OF_LEASE_RENEWAL =
      EnumSet.of(KEY, SUBJECT, COST, COSTS, USED, CHECKS);
  static final Set<CheckField> OF_LEASE_RELEASE = EnumSet.of(KEY, SUBJECT, COST, COSTS, USED);
  static final Set<CheckField> OF_RESET = EnumSet.of(KEY, SUBJECT, RULE);
  static final Set<CheckField> OF_TOKENS = EnumSet.of(KEY, TOKENS_REQUESTED, TOKENS);

  private final String text;

  CheckField(String text) {
    this.text = text;
  }

  /** Returns the field of this name, or null. */
  static @Nullable CheckField find(String name) {
    return switch (name) {
      case "key" -> KEY;
      case "subject" -> SUBJECT;
      case "cost" -> COST;
      case "costs" -> COSTS;
      case "wait" -> WAIT;
      case "rule" -> RULE;
      case "ttlMs" -> TTL;
      case "used" -> USED;
      case "checks" -> CHECKS;
      case "tokensRequested" -> TOKENS_REQUESTED;
      case "tokens" -> TOKENS;
      default -> null;
    };
  }

  @Override
  public String toString() {
    return text;
  }
}
