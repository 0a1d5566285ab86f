package io.headgate.rulefile;

/**
 * One thing that is wrong with a rule file.
 *
 * @param line from 1
 * @param column from 1
 * @param path the field, such as {@code rules[3].limit.algorithm}, items counted from 0; empty for
 *     the text as a whole
 * @param message what was given, what is allowed, and the way out
 */
public record RuleProblem(int line, int column, String path, String message) {
  @Override
  public String toString() {
    return "%d:%d: %s%s%s".formatted(line, column, path, path.isEmpty() ? "" : ": ", message);
  }
}
