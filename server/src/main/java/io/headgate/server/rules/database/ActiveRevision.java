package io.headgate.server.rules.database;

import io.headgate.server.rules.RuleSnapshot;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The edition in force here, and those who follow it. It goes forward only. */
final class ActiveRevision {
  private static final Logger LOG = LoggerFactory.getLogger(ActiveRevision.class);

  private final List<Consumer<RuleSnapshot>> followers = new ArrayList<>(); // guarded by this
  private volatile StoredSnapshot copy;

  ActiveRevision(StoredSnapshot first) {
    this.copy = first;
  }

  StoredSnapshot copy() {
    return copy;
  }

  synchronized void follow(Consumer<RuleSnapshot> use) {
    followers.add(use);
    use.accept(copy.edition());
  }

  /** Puts it in force unless it is older; whether it did. */
  synchronized boolean put(StoredSnapshot next) {
    if (!next.replaces(copy)) return false;
    copy = next;
    for (var follower : followers) {
      try {
        follower.accept(next.edition());
      } catch (RuntimeException e) {
        LOG.error("revision {} could not be put in force everywhere", next.number(), e);
      }
    }
    return true;
  }
}
