package io.headgate.server.simulation.accesslog;

import java.io.IOException;
import java.io.InputStream;

/** Cuts a stream into lines, without making texts of them. */
final class LineReader {
  /** A longer line is no line of an access log; it is skipped. */
  static final int LONGEST = 64 * 1024;

  private static final int ROOM = 1 << 20;

  /** Takes a line without its end; the bytes are good until the next. */
  interface Taker {
    void line(byte[] bytes, int from, int to, long number);

    void tooLong(long number);
  }

  private final InputStream in;
  private final Taker taker;
  private final byte[] buffer = new byte[ROOM];
  private int filled;
  private long number = 1;
  private boolean skipping;

  private LineReader(InputStream in, Taker taker) {
    this.in = in;
    this.taker = taker;
  }

  static void read(InputStream in, Taker taker) throws IOException {
    new LineReader(in, taker).read();
  }

  private void read() throws IOException {
    for (int got = fill(); got >= 0; got = fill()) {
      int from = 0;
      int end = filled - got;
      for (; end < filled; end++) {
        if (buffer[end] != '\n') continue;
        pass(from, end);
        from = end + 1;
      }
      keep(from);
    }
    if (filled > 0 || skipping) pass(0, filled);
  }

  private int fill() throws IOException {
    int got = in.read(buffer, filled, buffer.length - filled);
    if (got > 0) filled += got;
    return got;
  }

  /** What has no end yet stays, unless it is too long already. */
  private void keep(int from) {
    filled -= from;
    if (filled > LONGEST) {
      skipping = true;
      filled = 0;
    } else {
      System.arraycopy(buffer, from, buffer, 0, filled);
    }
  }

  private void pass(int from, int to) {
    if (skipping || to - from > LONGEST) {
      skipping = false;
      taker.tooLong(number);
    } else {
      int end = to > from && buffer[to - 1] == '\r' ? to - 1 : to;
      taker.line(buffer, from, end, number);
    }
    number++;
  }
}
