package io.headgate.server.cli.output;

/** How a limit stands, in words. */
public final class LimitText {
  public static String of(JsonReply limit) {
    long reset = limit.at("resetAfterMs").number();
    String left =
        "%d of %d left".formatted(limit.at("remaining").number(), limit.at("limit").number());
    return reset == 0 ? left : left + ", all back in " + DurationText.text(reset);
  }

  /** As short as a list of several wants it. */
  public static String brief(JsonReply limit) {
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
