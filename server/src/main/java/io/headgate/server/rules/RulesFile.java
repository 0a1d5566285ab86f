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
 * Rules in a file. {@link #follow} looks at it again and again: what has changed and is valid as a
 * whole is put in force, what is not is reported, and the last good rules stay.
 */
public final class RulesFile implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RulesFile.class);

  private final Path file;
  private final RuleSet first;
  private FileStamp seen;
  private boolean unread; // it could not be: what is there now may look as before
  private volatile String complaint = "";
  private @Nullable ScheduledExecutorService thread;

  private RulesFile(Path file, FileStamp stamp, RuleSet first) {
    this.file = file;
    this.seen = stamp;
    this.first = first;
  }

  /**
   * Reads the file for the first time.
   *
   * @throws RuleFileException if it is not valid
   */
  public static RulesFile open(Path file) throws IOException {
    var stamp = FileStamp.of(file); // before reading: what is written meanwhile is seen as a change
    return new RulesFile(file, stamp, RuleSet.of(RuleFile.read(file)));
  }

  /** The rules as they were when the file was opened. */
  public RuleSet rules() {
    return first;
  }

  /** How the file is called. */
  public String name() {
    return String.valueOf(file.getFileName());
  }

  public Path path() {
    return file;
  }

  /** Why the file's last version is not in force, if so. */
  public Optional<String> problem() {
    return Optional.of(complaint)
        .filter(what -> !what.isEmpty())
        .map(what -> "%s %s".formatted(file, what));
  }

  /** Gives every later version to {@code use}, until closed. */
  public void follow(Duration interval, Consumer<RuleSet> use) {
    follow(interval, use, () -> {});
  }

  /**
   * @param before runs at the beginning of each look
   */
  void follow(Duration interval, Consumer<RuleSet> use, Runnable before) {
    var executor =
        Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("headgate-rules").factory());
    thread = executor;
    long nanos = interval.toNanos();
    var unused =
        executor.scheduleWithFixedDelay(
            () -> {
              before.run();
              look(use);
            },
            nanos,
            nanos,
            TimeUnit.NANOSECONDS);
  }

  private void look(Consumer<RuleSet> use) {
    try {
      var stamp = FileStamp.of(file);
      if (unread || !stamp.equals(seen)) read(stamp, use);
    } catch (IOException e) {
      unread = true;
      complain("can't be read (%s)".formatted(e));
    } catch (RuntimeException e) {
      LOG.error("{} could not be followed", file, e); // and the next look comes all the same
    }
  }

  private void read(FileStamp stamp, Consumer<RuleSet> use) throws IOException {
    try {
      var rules = RuleSet.of(RuleFile.read(file));
      if (!FileStamp.of(file).equals(stamp))
        return; // still being written: the next look has it whole
      use.accept(rules);
      complaint = "";
    } catch (RuleFileException | IllegalArgumentException e) {
      complain("is not valid:\n" + e.getMessage());
    }
    seen = stamp;
    unread = false;
  }

  /** Says the same thing once, however often it is found. */
  private void complain(String what) {
    if (what.equals(complaint)) return;
    complaint = what;
    LOG.warn("{} {}\nThe rules that were in force stay so.", file, what);
  }

  @Override
  public void close() {
    if (thread != null) thread.shutdownNow();
  }
}
