package io.headgate.server.rules.database;

import io.headgate.server.rules.database.RuleDao.Version;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jdbi.v3.core.Handle;

/**
 * Derives the changes of one rule from its stored versions, reading a few at a time. Used within
 * one transaction.
 */
final class RuleVersions {
  static final int CHUNK = 100;

  /**
   * A change of the rule.
   *
   * @param revision the number of the revision that made it
   * @param before the text of the rule; empty if the revision added it
   * @param after the text of the rule; empty if the revision removed it
   */
  record Change(long revision, Optional<String> before, Optional<String> after) {}

  private final Handle handle;
  private final String id;
  private final long before;
  private final List<Change> changes = new ArrayList<>();
  private OptionalLong newerSince = OptionalLong.empty(); // of the version that was added last

  /**
   * @param before only changes of revisions below this number are returned
   */
  RuleVersions(Handle handle, String id, long before) {
    this.handle = handle;
    this.id = id;
    this.before = before;
  }

  /** Returns the latest changes, the newest first. */
  List<Change> changes(int limit) {
    long below = before;
    while (true) {
      var versions = RuleDao.versions(handle, id, below, CHUNK);
      boolean complete = versions.size() < CHUNK;
      // The version before the last of a chunk is unknown, so the next chunk begins with the last.
      int usable = complete ? versions.size() : CHUNK - 1;
      for (int i = 0; i < usable; i++) {
        var older = Optional.of(i + 1).filter(at -> at < versions.size()).map(versions::get);
        add(versions.get(i), older);
      }
      if (complete || changes.size() >= limit) {
        return changes.subList(0, Math.min(limit, changes.size()));
      }
      below = versions.getLast().since() + 1;
    }
  }

  private void add(Version version, Optional<Version> older) {
    var until = version.until();
    boolean ended = until.isPresent() && until.getAsLong() < before;
    if (ended && !until.equals(newerSince)) {
      changes.add(new Change(until.getAsLong(), Optional.of(version.body()), Optional.empty()));
    }
    var previous =
        older
            .filter(other -> other.until().equals(OptionalLong.of(version.since())))
            .map(Version::body);
    var body = Optional.of(version.body());
    if (!previous.equals(body)) changes.add(new Change(version.since(), previous, body));
    newerSince = OptionalLong.of(version.since());
  }
}
