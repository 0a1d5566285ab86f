package io.headgate.server.cli.size;

import io.headgate.redis.KeyLayout;
import java.util.ArrayList;
import java.util.List;

/** Turns a result into commands. */
final class SizingAdvice {
  private static final long MEBIBYTE = 1L << 20;
  private static final long STEP = 64;

  private SizingAdvice() {}

  /**
   * Returns the commands that configure the store and each instance.
   *
   * @param rules the name of the rule file
   */
  static List<String> of(Sizing sizing, String rules) {
    var commands = new ArrayList<String>();
    String serve =
        "HEADGATE_JAVA_OPTS=-Xmx%dm ./headgate serve --rules %s"
            .formatted(mebibytes(sizing.heapBytes()), quoted(rules));
    switch (sizing.request().store()) {
      case MEMORY -> commands.add("%s --max-keys %d".formatted(serve, sizing.maxKeys()));
      case REDIS -> {
        int primaries = sizing.redis().primaries();
        commands.add(
            "redis-server --maxmemory %dmb --maxmemory-policy noeviction%s"
                .formatted(
                    mebibytes(sizing.redis().maxMemory() / primaries),
                    primaries == 1
                        ? ""
                        : " --cluster-enabled yes  # each of %d primaries".formatted(primaries)));
        commands.add(
            "%s --store %s%s"
                .formatted(
                    serve,
                    primaries == 1 ? "redis://HOST:6379" : "redis-cluster://HOST:6379",
                    sizing.request().layout() == KeyLayout.COMPACT
                        ? " --store-layout compact"
                        : ""));
      }
      case CLUSTER ->
          commands.add(
              "%s --store cluster --join HOST1,HOST2,HOST3 --cluster-backups %d"
                  .formatted(serve, sizing.request().backups()));
    }
    return commands;
  }

  /** Rounds up, in steps of 64 MiB. */
  static long mebibytes(double bytes) {
    return (long) Math.ceil(bytes / MEBIBYTE / STEP) * STEP;
  }

  private static String quoted(String text) {
    return text.matches("[A-Za-z0-9_./-]+") ? text : "'" + text.replace("'", "'\\''") + "'";
  }
}
