package io.headgate.server.rules;

import io.headgate.rule.RuleSet;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file whose rules go into a book as long as nobody has changed them elsewhere. From then on the
 * book is the truth and the file is left alone.
 */
public final class SeedFile {
  private static final Logger LOG = LoggerFactory.getLogger(SeedFile.class);

  /** Signs the examples, which anybody's file may replace. */
  public static final ChangeInfo EXAMPLES = new ChangeInfo("headgate", "the examples", true);

  private static final String FILE = "file ";
  private static final int TRIES = 10;

  private final RuleRepository book;
  private final RulesFile file;
  private long complainedOf; // the rest is the following thread's own
  private @Nullable RuleSet pending;

  private SeedFile(RuleRepository book, RulesFile file) {
    this.book = book;
    this.file = file;
  }

  /** What a file signs with: its name alone, since instances may have it in different places. */
  public static ChangeInfo signature(RulesFile file) {
    String name = file.name();
    int most = ChangeInfo.LONGEST_AUTHOR - FILE.length();
    String shown = name.length() > most ? name.substring(name.length() - most) : name;
    return new ChangeInfo(FILE + shown, "", true);
  }

  /** Offers the file's rules to the book now, and each later version until the file is closed. */
  public static void follow(RuleRepository book, RulesFile file, Duration interval) {
    var seed = new SeedFile(book, file);
    seed.offer(file.rules());
    file.follow(interval, seed::offer, seed::offerAgain);
  }

  private void offer(RuleSet read) {
    pending = read;
    offerAgain();
  }

  /** While the database is away, the book says so; the offer waits. */
  private void offerAgain() {
    var offered = pending;
    if (offered == null) return;
    try {
      for (int i = 0; i < TRIES && pending != null; i++) attempt(offered);
    } catch (RuleRepositoryException.Away e) {
      LOG.debug("{} waits for the database", file.path(), e);
    } catch (RuntimeException e) {
      LOG.error("{} could not be taken", file.path(), e);
      pending = null;
    }
  }

  private void attempt(RuleSet offered) {
    var latest = book.latest();
    if (latest.rules().rules().equals(offered.rules())) {
      pending = null;
      return;
    }
    if (isElsewhere(latest.revision())) {
      leaveAlone(latest.revision());
      pending = null;
      return;
    }
    try {
      var expected = OptionalLong.of(latest.number());
      var edition = book.change(expected, signature(file), old -> offered.rules());
      pending = null;
      if (edition.number() == latest.number()) return; // they only differ in what has no effect
      LOG.info("{} has changed: {} rules in force", file.path(), offered.rules().size());
    } catch (RuleRepositoryException.Stale e) {
      LOG.debug("somebody was faster", e); // perhaps another instance, with the same file
    }
  }

  /** Who changed the rules last, if that was neither a file nor the beginning. */
  public static Optional<Revision> elsewhere(RuleSnapshot edition) {
    return Optional.of(edition.revision()).filter(SeedFile::isElsewhere);
  }

  private static boolean isElsewhere(Revision revision) {
    return !revision.signature().isSeed();
  }

  private void leaveAlone(Revision revision) {
    if (complainedOf == revision.number()) return;
    complainedOf = revision.number();
    LOG.warn(
        "{} is left alone: revision {} by {} has changed the rules elsewhere; to put the file in"
            + " force use headgate rules apply {}, or --rules-mode file if it is always to win",
        file.path(),
        revision.number(),
        revision.signature().author(),
        file.name());
  }
}
