package io.headgate.server.rules;

import io.headgate.rule.RuleSet;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Copies the rules of a file into a repository as long as the rules have not been changed by other
 * means. After such a change the repository takes precedence and the file is ignored.
 */
public final class SeedFile {
  private static final Logger LOG = LoggerFactory.getLogger(SeedFile.class);

  /** The change information of the example rules, which any rule file may replace. */
  public static final ChangeInfo EXAMPLES = new ChangeInfo("headgate", "the examples", true);

  private static final String FILE = "file ";
  private static final int MAX_ATTEMPTS = 10;

  private final RuleRepository repository;
  private final RulesFile file;
  private long reportedRevision; // confined to the polling thread, like pending
  private @Nullable RuleSet pending;

  private SeedFile(RuleRepository repository, RulesFile file) {
    this.repository = repository;
    this.file = file;
  }

  /**
   * Returns the change information of a file: its name without the directory, since instances may
   * have it in different directories.
   */
  public static ChangeInfo changeInfo(RulesFile file) {
    String name = file.name();
    int maxLength = ChangeInfo.MAX_AUTHOR_LENGTH - FILE.length();
    String shown = name.length() > maxLength ? name.substring(name.length() - maxLength) : name;
    return new ChangeInfo(FILE + shown, "", true);
  }

  /**
   * Offers the rules of the file to the repository, now and after each change, until the file is
   * closed.
   */
  public static void follow(RuleRepository repository, RulesFile file, Duration interval) {
    var seed = new SeedFile(repository, file);
    seed.offer(file.rules());
    file.follow(interval, seed::offer, seed::offerAgain);
  }

  private void offer(RuleSet read) {
    pending = read;
    offerAgain();
  }

  /**
   * Retries the pending offer. While the database is unavailable, which the repository reports, the
   * offer stays pending.
   */
  private void offerAgain() {
    var offered = pending;
    if (offered == null) return;
    try {
      for (int i = 0; i < MAX_ATTEMPTS && pending != null; i++) attempt(offered);
    } catch (RuleRepositoryException.Unavailable e) {
      LOG.debug("{} is pending until the database is available", file.path(), e);
    } catch (RuntimeException e) {
      LOG.error("the rules of {} could not be stored", file.path(), e);
      pending = null;
    }
  }

  private void attempt(RuleSet offered) {
    var latest = repository.latest();
    if (latest.rules().rules().equals(offered.rules())) {
      pending = null;
      return;
    }
    if (isChangedElsewhere(latest.revision())) {
      reportIgnored(latest.revision());
      pending = null;
      return;
    }
    try {
      var expected = ExpectedRevision.of(latest.number());
      var snapshot = repository.change(expected, changeInfo(file), old -> offered.rules());
      pending = null;
      if (snapshot.number() == latest.number()) return; // the difference has no effect
      LOG.info("{} has changed: {} rules in force", file.path(), offered.rules().size());
    } catch (RuleRepositoryException.Stale e) {
      LOG.debug(
          "concurrent change, retrying", e); // for example another instance with the same file
    }
  }

  /**
   * Returns the revision of the snapshot if it was made by a user rather than from a file or the
   * initial rules.
   */
  public static Optional<Revision> changedElsewhere(RuleSnapshot snapshot) {
    return Optional.of(snapshot.revision()).filter(SeedFile::isChangedElsewhere);
  }

  private static boolean isChangedElsewhere(Revision revision) {
    return !revision.changeInfo().isSeed();
  }

  /**
   * Returns why a file is ignored under these rules, and the two ways to use it; empty if it is
   * not, or if its rules are those in force.
   */
  public static Optional<String> ignored(RulesFile file, RuleSnapshot inForce) {
    return changedElsewhere(inForce)
        .filter(revision -> !inForce.rules().rules().equals(file.latestRules().rules()))
        .map(revision -> ignored(file, revision));
  }

  private static String ignored(RulesFile file, Revision revision) {
    return "%s is ignored, since revision %d by %s changed the rules by other means; to use it once, run: headgate rules apply %s; to always use it, start with --rules-mode file"
        .formatted(file.path(), revision.number(), revision.changeInfo().author(), file.path());
  }

  private void reportIgnored(Revision revision) {
    if (reportedRevision == revision.number()) return;
    reportedRevision = revision.number();
    LOG.warn("{}", ignored(file, revision));
  }
}
