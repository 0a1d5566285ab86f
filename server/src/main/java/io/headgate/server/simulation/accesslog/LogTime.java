package io.headgate.server.simulation.accesslog;

/**
 * A moment as logs write it: {@code 10/Oct/2026:13:55:36 -0700}, {@code 2026-10-10T13:55:36.123Z},
 * or a number of seconds, milliseconds, microseconds or nanoseconds since 1970.
 */
final class LogTime {
  static final long NONE = -1;

  /** Until when states can be kept. */
  private static final long LATEST = 3_350_000_000_000_000L; // in 2076

  private static final String MONTHS = "JanFebMarAprMayJunJulAugSepOctNovDec";
  private static final long SECOND = 1_000_000;
  private static final long DAY = 86_400;

  private byte[] b = {};
  private int at;
  private int end;
  private boolean broken;
  private boolean fraction;
  private boolean coarse;
  private long micros = NONE;

  void clear() {
    micros = NONE;
  }

  /** Since the epoch; {@link #NONE} if there is none that can be read. */
  long micros() {
    return micros;
  }

  /** Whether it is told to the second only. */
  boolean isCoarse() {
    return coarse;
  }

  boolean isThere() {
    return micros != NONE;
  }

  /** Any of the forms; false, and nothing is changed, if it is none of them. */
  boolean read(byte[] bytes, int from, int to) {
    b = bytes;
    at = from;
    end = to;
    broken = to == from;
    fraction = false;
    long read = NONE;
    if (!broken) {
      if (to - from > 2 && bytes[from + 2] == '/') read = common();
      else if (to - from > 4 && bytes[from + 4] == '-') read = iso();
      else read = number();
    }
    boolean good = !broken && at == end && read >= 0 && read <= LATEST;
    if (good) {
      micros = read;
      coarse = !fraction;
    }
    return good;
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
    return moment(year, month, day, time, zone());
  }

  /** {@code 2026-10-10T13:55:36.123+02:00}; no zone is UTC. */
  private long iso() {
    long year = digits(4);
    expect('-');
    long month = digits(2);
    expect('-');
    long day = digits(2);
    if (at < end && (b[at] == 'T' || b[at] == 't' || b[at] == ' ')) at++;
    else broken = true;
    long time = clock();
    if (at < end && b[at] == ' ') at++;
    return moment(year, month, day, time, at == end ? 0 : zone());
  }

  /** Hours, minutes, seconds and perhaps a fraction, in microseconds. */
  private long clock() {
    long hour = digits(2);
    expect(':');
    long minute = digits(2);
    expect(':');
    long second = digits(2);
    broken |= hour > 23 || minute > 59 || second > 60;
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
    broken |= read == 0;
    for (; read < 6; read++) value *= 10;
    return value;
  }

  /** Z, or such as +0200, +02:00 and +02, in seconds. */
  private long zone() {
    if (at < end && (b[at] == 'Z' || b[at] == 'z')) {
      at++;
      return 0;
    }
    if (at == end || (b[at] != '+' && b[at] != '-')) {
      broken = true;
      return 0;
    }
    int sign = b[at++] == '-' ? -1 : 1;
    long hours = digits(2);
    if (at == end) return sign * hours * 3_600;
    if (b[at] == ':') at++;
    long minutes = digits(2);
    broken |= hours > 18 || minutes > 59;
    return sign * (hours * 3_600 + minutes * 60);
  }

  /** By its size it tells what it counts; only seconds have a fraction. */
  private long number() {
    int start = at;
    long whole = 0;
    for (; at < end && isDigit(b[at]); at++) {
      if (at - start > 18) broken = true;
      else whole = whole * 10 + b[at] - '0';
    }
    broken |= at == start;
    if (whole < 100_000_000_000L) return whole * SECOND + fraction();
    fraction = true;
    if (whole < 100_000_000_000_000L) {
      long micros = whole * 1_000;
      if (at < end && b[at] == '.') fraction();
      return micros;
    }
    return whole < 100_000_000_000_000_000L ? whole : whole / 1_000;
  }

  private long moment(long year, long month, long day, long time, long zone) {
    broken |= month < 1 || month > 12 || day < 1 || day > 31;
    return (days(year, month, day) * DAY - zone) * SECOND + time;
  }

  /** Days since 1970, by the calendar in which a year begins in March. */
  private static long days(long year, long month, long day) {
    long y = month <= 2 ? year - 1 : year;
    long era = Math.floorDiv(y, 400);
    long ofEra = y - era * 400;
    long ofYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * 146_097 + ofEra * 365 + ofEra / 4 - ofEra / 100 + ofYear - 719_468;
  }

  private long month() {
    if (end - at < 3) {
      broken = true;
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
    broken = true;
    return 0;
  }

  private long digits(int count) {
    long value = 0;
    for (int i = 0; i < count; i++) {
      if (at == end || !isDigit(b[at])) {
        broken = true;
        return 0;
      }
      value = value * 10 + b[at++] - '0';
    }
    return value;
  }

  private void expect(char wanted) {
    if (at < end && b[at] == wanted) at++;
    else broken = true;
  }

  private static boolean isDigit(byte c) {
    return c >= '0' && c <= '9';
  }
}
