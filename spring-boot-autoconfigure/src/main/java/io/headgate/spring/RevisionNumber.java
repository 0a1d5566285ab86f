package io.headgate.spring;

/** Counts the changes of the rules. */
@FunctionalInterface
public interface RevisionNumber {
  /** Returns the number of the rules in force: 1 at the start, and one more for each change. */
  long number();
}
