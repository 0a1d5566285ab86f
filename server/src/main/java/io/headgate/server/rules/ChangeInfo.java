package io.headgate.server.rules;

/**
 * Author and message of a change to the rules. Control characters, format characters and line
 * breaks in either text are replaced by spaces, since both appear in logs and tables.
 *
 * @param author at most {@value #MAX_AUTHOR_LENGTH} characters, not empty
 * @param message at most {@value #MAX_MESSAGE_LENGTH} characters
 * @param isSeed whether the change comes from a rule file or the initial rules rather than from a
 *     user. A flag of its own, because users may choose any name.
 */
public record ChangeInfo(String author, String message, boolean isSeed) {
  public static final int MAX_AUTHOR_LENGTH = 100;
  public static final int MAX_MESSAGE_LENGTH = 500;

  public ChangeInfo {
    author = clean("author", author, MAX_AUTHOR_LENGTH);
    message = clean("message", message, MAX_MESSAGE_LENGTH);
    if (author.isEmpty()) throw new IllegalArgumentException("the author must not be empty");
  }

  /** Creates the information of a change made by a user. */
  public ChangeInfo(String author, String message) {
    this(author, message, false);
  }

  /**
   * Reduces the text to one line without control characters, which could move a terminal's cursor.
   */
  private static String clean(String name, String text, int maxLength) {
    if (text.length() > maxLength) {
      throw new IllegalArgumentException(
          "the %s may have at most %d characters, got %d"
              .formatted(name, maxLength, text.length()));
    }
    return text.replaceAll("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]+", " ").strip();
  }
}
