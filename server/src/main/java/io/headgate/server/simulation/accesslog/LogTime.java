package io.headgate.server.simulation.accesslog;

/**
 * Parses timestamps of logs: {@code 10/Oct/2026:13:55:36 -0700}, {@code 2026-10-10T13:55:36.123Z},
 * or a number of seconds, milliseconds, microseconds or nanoseconds since the epoch. Reused for
 * each line.
 */
final class LogTime {
  static final long NONE = -1;

  /** The latest supported time. */
  private static final long LATEST = 3_350_000_000_000_000L; // in 2076

  private static final String MONTHS = "JanFebMarAprMayJunJulAugSepOctNovDec";
  private static final long SECOND = 1_000_000;
  private static final long DAY = 86_400;

  private byte[] b = {};
  private int at;
  private int end;
  private boolean invalid;
  private boolean fraction;
  private boolean coarse;
  private long micros = NONE;

  void clear() {
    micros = NONE;
  }

  /** Returns microseconds since the epoch, or {@link #NONE}. */
  long micros() {
    return micros;
  }

  /** Returns whether the time is exact to the second only. */
  boolean isCoarse() {
    return coarse;
  }

  boolean isPresent() {
    return micros != NONE;
  }

  /**
   * Parses any of the formats.
   *
   * @return false, with the time unchanged, if the text is none of them
   */
  boolean read(byte[] bytes, int from, int to) {
    b = bytes;
    at = from;
    end = to;
    invalid = to == from;
    fraction = false;
    long read = NONE;
    if (!invalid) {
      if (to - from > 2 && bytes[from + 2] == '/') read = common();
      else if (to - from > 4 && bytes[from + 4] == '-') read = iso();
      else read = number();
    }
    boolean valid = !invalid && at == end && read >= 0 && read <= LATEST;
    if (valid) {
      micros = read;
      coarse = !fraction;
    }
    return valid;
  }

  /** {@code 10/Oct/2026:13:55:36 -0700} */
  private long common() {
    long day = digits(2);
    expect('/');
    long month = month();
    expect('/');
    long year = digits(4);
    expect(':');
    long time = clock();
    expect(' ');
    return timestamp(year, month, day, time, zone());
  }

  /** {@code 2026-10-10T13:55:36.123+02:00}; no zone is UTC. */
  private long iso() {
    long year = digits(4);
    expect('-');
    long month = digits(2);
    expect('-');
    long day = digits(2);
    if (at < end && (b[at] == 'T' || b[at] == 't' || b[at] == ' ')) at++;
    else invalid = true;
    long time = clock();
    if (at < end && b[at] == ' ') at++;
    return timestamp(year, month, day, time, at == end ? 0 : zone());
  }

  /** Parses hours, minutes, seconds and an optional fraction, in microseconds. */
  private long clock() {
    long hour = digits(2);
    expect(':');
    long minute = digits(2);
    expect(':');
    long second = digits(2);
    invalid |= hour > 23 || minute > 59 || second > 60;
    return (hour * 3_600 + minute * 60 + Math.min(second, 59)) * SECOND + fraction();
  }

  private long fraction() {
    if (at == end || (b[at] != '.' && b[at] != ',')) return 0;
    at++;
    fraction = true;
    long value = 0;
    int read = 0;
    for (; at < end && isDigit(b[at]); at++, read++) {
      if (read < 6) value = value * 10 + b[at] - '0';
    }
    invalid |= read == 0;
    for (; read < 6; read++) value *= 10;
    return value;
  }

  /** Parses {@code Z}, {@code +0200}, {@code +02:00} or {@code +02}, in seconds. */
  private long zone() {
    if (at < end && (b[at] == 'Z' || b[at] == 'z')) {
      at++;
      return 0;
    }
    if (at == end || (b[at] != '+' && b[at] != '-')) {
      invalid = true;
      return 0;
    }
    int sign = b[at++] == '-' ? -1 : 1;
    long hours = digits(2);
    if (at == end) return sign * hours * 3_600;
    if (b[at] == ':') at++;
    long minutes = digits(2);
    invalid |= hours > 18 || minutes > 59;
    return sign * (hours * 3_600 + minutes * 60);
  }

  /** Parses a number. Its magnitude determines the unit; only seconds may have a fraction. */
  private long number() {
    int start = at;
    long whole = 0;
    for (; at < end && isDigit(b[at]); at++) {
      if (at - start > 18) invalid = true;
      else whole = whole * 10 + b[at] - '0';
    }
    invalid |= at == start;
    if (whole < 100_000_000_000L) return whole * SECOND + fraction();
    fraction = true;
    if (whole < 100_000_000_000_000L) {
      long micros = whole * 1_000;
      if (at < end && b[at] == '.') fraction();
      return micros;
    }
    return whole < 100_000_000_000_000_000L ? whole : whole / 1_000;
  }

  private long timestamp(long year, long month, long day, long time, long zone) {
    invalid |= month < 1 || month > 12 || day < 1 || day > 31;
    return (days(year, month, day) * DAY - zone) * SECOND + time;
  }

  /**
   * Returns the days since the epoch, computed with years that begin in March (Howard Hinnant's
   * {@code days_from_civil}).
   */
  private static long days(long year, long month, long day) {
    long y = month <= 2 ? year - 1 : year;
    long era = Math.floorDiv(y, 400);
    long ofEra = y - era * 400;
    long ofYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * 146_097 + ofEra * 365 + ofEra / 4 - ofEra / 100 + ofYear - 719_468;
  }

  private long month() {
    if (end - at < 3) {
      invalid = true;
      return 0;
    }
    for (int i = 0; i < MONTHS.length(); i += 3) {
      if (MONTHS.charAt(i) == b[at]
          && MONTHS.charAt(i + 1) == b[at + 1]
          && MONTHS.charAt(i + 2) == b[at + 2]) {
        at += 3;
        return i / 3 + 1L;
      }
    }
    invalid = true;
    return 0;
  }

  private long digits(int count) {
    long value = 0;
    for (int i = 0; i < count; i++) {
      if (at == end || !isDigit(b[at])) {
        invalid = true;
        return 0;
      }
      value = value * 10 + b[at++] - '0';
    }
    return value;
  }

  private void expect(char wanted) {
    if (at < end && b[at] == wanted) at++;
    else invalid = true;
  }

  private static boolean isDigit(byte c) {
    return c >= '0' && c <= '9';
  }
}
