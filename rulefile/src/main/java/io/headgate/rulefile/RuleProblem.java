package io.headgate.rulefile;

/**
 * One problem of a rule file.
 *
 * @param line from 1
 * @param column from 1
 * @param path the field, such as {@code rules[3].limit.algorithm}, with items counted from 0; empty
 *     for the text as a whole
 * @param message the given value, the allowed ones, and how to correct it
 */
public record RuleProblem(int line, int column, String path, String message) {
  @Override
  public String toString() {
    return "%d:%d: %s%s%s".formatted(line, column, path, path.isEmpty() ? "" : ": ", message);
  }
}
