package io.headgate.server.cli.output;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Locale;

/** Formats timestamps with a resolution of one second, in UTC. */
final class Timestamps {
  private static final DateTimeFormatter FORMAT =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss'Z'", Locale.ROOT).withZone(ZoneOffset.UTC);

  static String text(long micros) {
    return FORMAT.format(Instant.EPOCH.plus(micros, ChronoUnit.MICROS));
  }

  private Timestamps() {}
}
