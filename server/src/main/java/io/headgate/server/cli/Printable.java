package io.headgate.server.cli;

/** Text from a service, without what moves a terminal's cursor or turns its lines around. */
final class Printable {
  static String of(String text) {
    StringBuilder safe = null;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      boolean harmless = !Character.isISOControl(c) && Character.getType(c) != Character.FORMAT;
      if (harmless && safe == null) continue;
      if (safe == null) safe = new StringBuilder(text.substring(0, i));
      if (harmless) safe.append(c);
      else safe.append("\\u%04x".formatted((int) c));
    }
    return safe == null ? text : safe.toString();
  }

  private Printable() {}
}
