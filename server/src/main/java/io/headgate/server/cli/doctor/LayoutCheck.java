package io.headgate.server.cli.doctor;

import io.headgate.redis.KeyLayout;
import io.headgate.redis.RedisOptions;
import io.headgate.redis.RedisServerInfo;
import io.headgate.server.store.LayoutCounts;
import io.headgate.store.StoreException;
import java.util.Optional;

/** Checks that the instances of a key prefix have the same layout of keys. */
public final class LayoutCheck {
  /** The topic of the findings. */
  public static final String TOPIC = "layout";

  private static final String EFFECT =
      "instances with different layouts count rules with several limits separately, and admit up to"
          + " twice the limit together";

  private LayoutCheck() {}

  /** Compares the layout of the options with those of the instances that run now. */
  public static Optional<Finding> of(RedisOptions options) {
    try {
      var layouts = LayoutCounts.of(RedisServerInfo.layouts(options));
      return mixed(layouts, "the instances with the keys %s*".formatted(options.prefix()))
          .or(() -> different(options.layout(), layouts));
    } catch (StoreException e) {
      return Optional.empty(); // RedisCheck reports a server that can't be reached
    }
  }

  /** Compares the layouts that a running service has reported. */
  public static Optional<Finding> ofService(LayoutCounts layouts) {
    return mixed(layouts, "the instances that share its store");
  }

  private static Optional<Finding> mixed(LayoutCounts layouts, String instances) {
    if (!layouts.isMixed()) return Optional.empty();
    return Optional.of(
        Finding.warning(
            TOPIC,
            "%s have different layouts of keys: %s".formatted(instances, layouts.text()),
            "restart all with the same --store-layout: " + EFFECT));
  }

  private static Optional<Finding> different(KeyLayout configured, LayoutCounts layouts) {
    var other = configured == KeyLayout.SEPARATE ? KeyLayout.COMPACT : KeyLayout.SEPARATE;
    long running = other == KeyLayout.SEPARATE ? layouts.separate() : layouts.compact();
    if (running == 0) return Optional.empty();
    String own = LayoutCounts.word(configured);
    String theirs = LayoutCounts.word(other);
    return Optional.of(
        Finding.warning(
            TOPIC,
            "--store-layout is %s, and %s %s"
                .formatted(
                    own, running == 1 ? "1 instance has" : running + " instances have", theirs),
            "set --store-layout %s here, or restart all with %s soon after each other: %s"
                .formatted(theirs, own, EFFECT)));
  }
}
