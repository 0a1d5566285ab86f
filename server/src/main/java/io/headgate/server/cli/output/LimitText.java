package io.headgate.server.cli.output;

/** Formats the state of a limit. */
public final class LimitText {
  /**
   * Returns the remaining permits and the time until all are available again. The limit is one of a
   * decision's, or the decision itself.
   */
  public static String of(JsonReply limit) {
    if (!limit.at("limit").isPresent()) return "no limit";
    if (limit.at("limit").number() == 0) return "denies every request";
    long reset = limit.at("resetAfterMs").number();
    String left =
        "%d of %d left".formatted(limit.at("remaining").number(), limit.at("limit").number());
    return reset == 0 ? left : left + ", all back in " + DurationText.text(reset);
  }

  /** Returns a short form for lists: {@code rule/limit remaining/limit}. */
  public static String brief(JsonReply limit) {
    if (limit.at("limit").number() == 0) return policy(limit) + " denies";
    return "%s %d/%d%s"
        .formatted(
            policy(limit),
            limit.at("remaining").number(),
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
