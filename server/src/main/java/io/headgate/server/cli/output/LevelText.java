package io.headgate.server.cli.output;

import java.util.Locale;

/** Formats the level of a rule that sheds load. */
public final class LevelText {
  /**
   * Returns the level, the signal, and whether requests of the subject are dropped: {@code drops
   * 42.0% of the requests (signal 0.93 of 3 reporters); bulk is dropped for 12 s}.
   *
   * @param shedding the field of an explained rule
   */
  public static String of(JsonReply shedding) {
    if (!shedding.at("signalAgeMs").isPresent()) return "no signal yet, so nothing is dropped";
    double level = shedding.at("level").decimal();
    String text =
        "drops %.1f%% of the requests (signal %s of %d reporter%s, %s ago)"
            .formatted(
                level * 100,
                String.format(Locale.ROOT, "%.3f", shedding.at("signal").decimal()),
                shedding.at("reporters").number(),
                shedding.at("reporters").number() == 1 ? "" : "s",
                DurationText.text(shedding.at("signalAgeMs").number()));
    if (!shedding.at("dropped").isTrue()) return text + "; this subject passes";
    return text
        + "; this subject is dropped for "
        + DurationText.text(shedding.at("retryAfterMs").number());
  }

  private LevelText() {}
}
