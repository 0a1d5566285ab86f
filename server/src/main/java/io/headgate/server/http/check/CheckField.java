package io.headgate.server.http.check;

import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What a question may say, and which of it each endpoint takes. */
public enum CheckField {
  KEY("key"),
  SUBJECT("subject"),
  COST("cost"),
  COSTS("costs"),
  WAIT("wait"),
  RULE("rule"),
  TOKENS_REQUESTED("tokensRequested"),
  TOKENS("tokens");

  static final Set<CheckField> OF_CHECK = EnumSet.of(KEY, SUBJECT, COST, COSTS, WAIT);
  public static final Set<CheckField> OF_PEEK = EnumSet.of(KEY, SUBJECT, COST, COSTS);
  public static final Set<CheckField> OF_EXPLAIN = EnumSet.of(KEY, SUBJECT);
  static final Set<CheckField> OF_RESET = EnumSet.of(KEY, SUBJECT, RULE);
  static final Set<CheckField> OF_TOKENS = EnumSet.of(KEY, TOKENS_REQUESTED, TOKENS);

  private final String text;

  CheckField(String text) {
    this.text = text;
  }

  static @Nullable CheckField find(String name) {
    return switch (name) {
      case "key" -> KEY;
      case "subject" -> SUBJECT;
      case "cost" -> COST;
      case "costs" -> COSTS;
      case "wait" -> WAIT;
      case "rule" -> RULE;
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
