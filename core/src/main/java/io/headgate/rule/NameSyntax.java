package io.headgate.rule;

/** Validates ids and names, which are used in headers, metrics and state keys. */
final class NameSyntax {
  private static final int MAX_LENGTH = 128;

  static void require(String what, String name) {
    boolean ok = !name.isEmpty() && name.length() <= MAX_LENGTH;
    for (int i = 0; ok && i < name.length(); i++) ok = isAllowed(name.charAt(i));
    if (!ok) {
      throw new IllegalArgumentException(
          "%s must be 1 to %d letters, digits or any of . _ - / : @, got '%s'"
              .formatted(
                  what, MAX_LENGTH, name.length() > 40 ? name.substring(0, 40) + "…" : name));
    }
  }

  private static boolean isAllowed(char c) {
    return (c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z')
        || (c >= '0' && c <= '9')
        || "._-/:@".indexOf(c) >= 0;
  }

  private NameSyntax() {}
}
