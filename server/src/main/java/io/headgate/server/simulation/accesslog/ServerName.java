package io.headgate.server.simulation.accesslog;

/**
 * Recognizes a server name at the beginning of a line: {@code example.com:443 10.0.0.1 - - […}. A
 * line that begins with the client has three words before its time, no port after the first word,
 * and no address as the second.
 */
final class ServerName {
  /** Returns the index after the server name, or {@code from} if the line has none. */
  static int end(byte[] b, int from, int to) {
    int second = PlainFormat.find(b, ' ', from, to) + 1;
    if (second >= to || b[second] == '-') return from; // the most frequent case
    int third = PlainFormat.find(b, ' ', second, to) + 1;
    int fourth = PlainFormat.find(b, ' ', third, to) + 1;
    int time = PlainFormat.openBracket(b, third, to);
    if (time == to || fourth >= time) return from;
    boolean named =
        withoutPort(b, from, second - 1) < second - 1
            || (isAddress(b, second, third - 1) && !isAddress(b, from, second - 1));
    return named ? second : from;
  }

  /** Returns the index of the colon before the port, or {@code to} if there is none. */
  static int withoutPort(byte[] b, int from, int to) {
    int colon = to - 1;
    while (colon > from && b[colon] >= '0' && b[colon] <= '9') colon--;
    if (colon <= from || colon == to - 1 || b[colon] != ':') return to;
    boolean bracketed = b[colon - 1] == ']';
    // Further colons belong to an IPv6 address, whose end only looks like a port.
    return bracketed || PlainFormat.find(b, ':', from, colon) == colon ? colon : to;
  }

  private static boolean isAddress(byte[] b, int from, int to) {
    int dots = 0;
    int colons = 0;
    boolean digits = true;
    for (int i = from; i < to; i++) {
      if (b[i] == '.') dots++;
      else if (b[i] == ':') colons++;
      else if (Character.digit(b[i], 16) < 0) return false;
      else digits &= b[i] <= '9';
    }
    return colons >= 2 || (dots == 3 && colons == 0 && digits);
  }

  private ServerName() {}
}
