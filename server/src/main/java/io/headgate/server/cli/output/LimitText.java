package io.headgate.server.cli.output;

/** Formats the state of a limit. */
public final class LimitText {
  /**
   * Returns the remaining permits and the time until all are available again. While the store is
   * unavailable, returns what is known instead, and the failure policy that decides. The limit is
   * one of a decision's, or the decision itself.
   */
  public static String of(JsonReply limit) {
    if (!limit.at("limit").isPresent()) return "no limit";
    if (limit.at("limit").number() == 0) return denial(limit);
    String policy = limit.at("onStoreFailure").text();
    if (policy.isEmpty()) return left(limit) + allBack(limit);
    return isKnown(limit)
        ? "%d left in the share of this instance (limit %d)%s; %s"
            .formatted(
                limit.at("remaining").number(),
                limit.at("limit").number(),
                allBack(limit),
                decidedBy(policy))
        : "unknown, %s".formatted(decidedBy(policy));
  }

  private static String denial(JsonReply limit) {
    return isShed(limit) ? "drops the request to shed load" : "denies every request";
  }

  private static boolean isShed(JsonReply limit) {
    var limits = limit.at("limits").items();
    var own = limits.isEmpty() ? limit : limits.getFirst();
    return own.at("algorithm").text().equals("shed");
  }

  /**
   * Returns why a failure policy decided: {@code the store is unavailable; on-store-failure: …}.
   */
  public static String decidedBy(String policy) {
    return "the store is unavailable; on-store-failure: " + policy;
  }

  private static String left(JsonReply limit) {
    return isKnown(limit)
        ? "%d of %d left%s"
            .formatted(limit.at("remaining").number(), limit.at("limit").number(), range(limit))
        : "unknown";
  }

  private static String range(JsonReply limit) {
    return limit.at("min").isPresent()
        ? " (adapts between %d and %d)"
            .formatted(limit.at("min").number(), limit.at("max").number())
        : "";
  }

  private static String allBack(JsonReply limit) {
    long reset = limit.at("resetAfterMs").number();
    return reset == 0 ? "" : ", all back in " + DurationText.text(reset);
  }

  private static boolean isKnown(JsonReply limit) {
    return limit.at("remaining").isPresent();
  }

  /** Returns a short form for lists: {@code rule/limit remaining/limit}. */
  public static String brief(JsonReply limit) {
    if (limit.at("limit").number() == 0) {
      return policy(limit) + (isShed(limit) ? " sheds load" : " denies");
    }
    return "%s %s/%d%s"
        .formatted(
            policy(limit),
            isKnown(limit) ? Long.toString(limit.at("remaining").number()) : "unknown",
            limit.at("limit").number(),
            limit.at("shadow").isTrue() ? " (shadow)" : "");
  }

  static String policy(JsonReply limit) {
    String rule = limit.at("rule").text();
    String name = limit.at("name").text();
    return rule.equals(name) ? rule : rule + "/" + name;
  }

  private LimitText() {}
}
