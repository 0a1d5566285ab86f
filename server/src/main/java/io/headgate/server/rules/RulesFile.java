package io.headgate.server.rules;

import io.headgate.rule.RuleSet;
import io.headgate.rulefile.RuleFile;
import io.headgate.rulefile.RuleFileException;
import io.headgate.server.files.FileStamp;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A rule file. {@link #follow} polls it: a changed file that is valid as a whole is passed on, and
 * an invalid one is logged while the last valid rules stay in force. Confined to one polling
 * thread, except for {@link #problem} and {@link #latestRules}.
 */
public final class RulesFile implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RulesFile.class);

  private final Path file;
  private final RuleSet initialRules;
  private volatile RuleSet latestRules;
  private FileStamp seen;
  private boolean failedToRead; // the stamp may then be unchanged
  private volatile String reported = "";
  private @Nullable ScheduledExecutorService thread;

  private RulesFile(Path file, FileStamp stamp, RuleSet initialRules) {
    this.file = file;
    this.seen = stamp;
    this.initialRules = initialRules;
    this.latestRules = initialRules;
  }

  /**
   * Reads the file.
   *
   * @throws IOException if it cannot be read
   * @throws RuleFileException if it is not valid
   */
  public static RulesFile open(Path file) throws IOException {
    // taken before reading, so that a concurrent write is detected as a change
    var stamp = FileStamp.of(file);
    return new RulesFile(file, stamp, RuleSet.of(RuleFile.read(file)));
  }

  /** Returns the rules read when the file was opened. */
  public RuleSet rules() {
    return initialRules;
  }

  /** Returns the latest valid rules of the file. */
  public RuleSet latestRules() {
    return latestRules;
  }

  /** Returns the file name without its directory. */
  public String name() {
    return String.valueOf(file.getFileName());
  }

  public Path path() {
    return file;
  }

  /** Returns the reason why the latest version of the file is not in force, if it is not. */
  public Optional<String> problem() {
    return Optional.of(reported)
        .filter(text -> !text.isEmpty())
        .map(text -> "%s %s".formatted(file, text));
  }

  /**
   * Polls the file at the given interval and passes every later version to {@code listener}, until
   * closed.
   */
  public void follow(Duration interval, Consumer<RuleSet> listener) {
    follow(interval, listener, () -> {});
  }

  /**
   * Polls as {@link #follow(Duration, Consumer)}.
   *
   * @param before runs at the beginning of each poll
   */
  void follow(Duration interval, Consumer<RuleSet> listener, Runnable before) {
    var executor =
        Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("headgate-rules").factory());
    thread = executor;
    long nanos = interval.toNanos();
    var unused =
        executor.scheduleWithFixedDelay(
            () -> {
              before.run();
              poll(listener);
            },
            nanos,
            nanos,
            TimeUnit.NANOSECONDS);
  }

  private void poll(Consumer<RuleSet> listener) {
    try {
      var stamp = FileStamp.of(file);
      if (failedToRead || !stamp.equals(seen)) read(stamp, listener);
    } catch (IOException e) {
      failedToRead = true;
      report("can't be read (%s)".formatted(e));
    } catch (RuntimeException e) {
      LOG.error("{} could not be polled; the next poll follows as usual", file, e);
    }
  }

  private void read(FileStamp stamp, Consumer<RuleSet> listener) throws IOException {
    try {
      var rules = RuleSet.of(RuleFile.read(file));
      if (!FileStamp.of(file).equals(stamp))
        return; // still being written; the next poll reads the whole file
      latestRules = rules;
      listener.accept(rules);
      reported = "";
    } catch (RuleFileException | IllegalArgumentException e) {
      report("is not valid:\n" + e.getMessage());
    }
    seen = stamp;
    failedToRead = false;
  }

  /** Logs a problem unless it was the last one logged. */
  private void report(String text) {
    if (text.equals(reported)) return;
    reported = text;
    LOG.warn("{} {}\nThe previous rules stay in force.", file, text);
  }

  @Override
  public void close() {
    if (thread != null) thread.shutdownNow();
  }
}
