package io.headgate.server.rules;

import java.time.Instant;
import java.util.OptionalLong;

/**
 * One change of the rules: who made it, when, why, and how large it was.
 *
 * @param number 1 for the first; each later one has the next
 * @param restored the revision whose rules this one brought back
 */
public record Revision(
    long number,
    Instant at,
    ChangeInfo signature,
    OptionalLong restored,
    int added,
    int changed,
    int removed,
    int rules) {

  public Revision {
    if (number < 1) throw new IllegalArgumentException("revisions begin at 1, got " + number);
  }
}
