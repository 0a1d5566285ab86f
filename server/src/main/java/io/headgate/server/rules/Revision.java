package io.headgate.server.rules;

import java.time.Instant;
import java.util.OptionalLong;

/**
 * One change to the rules: its number, time, author, reason and size.
 *
 * @param number 1 for the first revision, then consecutive
 * @param restored the revision whose rules this one restored, if any
 * @param added number of rules added
 * @param changed number of rules changed
 * @param removed number of rules removed
 * @param rules number of rules after the change
 */
public record Revision(
    long number,
    Instant at,
    ChangeInfo changeInfo,
    OptionalLong restored,
    int added,
    int changed,
    int removed,
    int rules) {

  public Revision {
    if (number < 1) throw new IllegalArgumentException("revisions begin at 1, got " + number);
  }
}
