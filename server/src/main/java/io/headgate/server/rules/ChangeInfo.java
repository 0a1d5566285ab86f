package io.headgate.server.rules;

/**
 * Who changes the rules, and why.
 *
 * @param isSeed whether it is a file's own, or the beginning's; no name says so, since people may
 *     have any
 */
public record ChangeInfo(String author, String message, boolean isSeed) {
  public static final int LONGEST_AUTHOR = 100;
  public static final int LONGEST_MESSAGE = 500;

  public ChangeInfo {
    author = clean("author", author, LONGEST_AUTHOR);
    message = clean("message", message, LONGEST_MESSAGE);
    if (author.isEmpty()) throw new IllegalArgumentException("the author must not be empty");
  }

  /** Of somebody. */
  public ChangeInfo(String author, String message) {
    this(author, message, false);
  }

  /** It ends up in logs and tables: one line, without what moves a terminal's cursor. */
  private static String clean(String name, String text, int longest) {
    if (text.length() > longest) {
      throw new IllegalArgumentException(
          "the %s may have at most %d characters, got %d".formatted(name, longest, text.length()));
    }
    return text.replaceAll("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]+", " ").strip();
  }
}
