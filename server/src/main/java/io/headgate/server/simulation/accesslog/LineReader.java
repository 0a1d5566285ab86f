package io.headgate.server.simulation.accesslog;

import java.io.IOException;
import java.io.InputStream;

/** Splits a stream into lines without creating strings. */
final class LineReader {
  /** Maximum length of a line in bytes. Longer lines are skipped. */
  static final int MAX_LENGTH = 64 * 1024;

  private static final int BUFFER_SIZE = 1 << 20;

  /** Receives lines without their terminators. The bytes are valid until the next call. */
  interface Handler {
    void line(byte[] bytes, int from, int to, long number);

    void tooLong(long number);
  }

  private final InputStream in;
  private final Handler handler;
  private final byte[] buffer = new byte[BUFFER_SIZE];
  private int filled;
  private long number = 1;
  private boolean skipping;

  private LineReader(InputStream in, Handler handler) {
    this.in = in;
    this.handler = handler;
  }

  static void read(InputStream in, Handler handler) throws IOException {
    new LineReader(in, handler).read();
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

  /** Keeps an incomplete line, unless it is already too long. */
  private void keep(int from) {
    filled -= from;
    if (filled > MAX_LENGTH) {
      skipping = true;
      filled = 0;
    } else {
      System.arraycopy(buffer, from, buffer, 0, filled);
    }
  }

  private void pass(int from, int to) {
    if (skipping || to - from > MAX_LENGTH) {
      skipping = false;
      handler.tooLong(number);
    } else {
      int end = to > from && buffer[to - 1] == '\r' ? to - 1 : to;
      handler.line(buffer, from, end, number);
    }
    number++;
  }
}
