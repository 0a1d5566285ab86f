package io.headgate.spring;

import io.headgate.RateLimiter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Replaces the rules of a limiter when the rule file changes. A file that is not valid is logged,
 * and the rules in force stay. Polls on a thread of its own until it is closed.
 */
final class RuleReloader implements AutoCloseable {
  private static final Log LOG = LogFactory.getLog(RuleReloader.class);

  /** Identifies a version of a file without reading it. */
  private record Version(FileTime modified, long size, @Nullable Object key) {
    static Version of(Path file) throws IOException {
      var attributes = Files.readAttributes(file, BasicFileAttributes.class);
      return new Version(attributes.lastModifiedTime(), attributes.size(), attributes.fileKey());
    }
  }

  private final RateLimiter limiter;
  private final RuleSources sources;
  private final AtomicLong revision = new AtomicLong(1);
  private final @Nullable ScheduledExecutorService thread;
  private Optional<Version> seen; // of the polling thread
  private String reported = "";

  /**
   * Starts to poll, if there is a file.
   *
   * @param limiter has the rules of these sources already
   */
  RuleReloader(RateLimiter limiter, RuleSources sources, Duration interval) {
    this.limiter = limiter;
    this.sources = sources;
    this.seen = Optional.empty(); // the first poll reads the file again: it may have changed
    if (sources.file().isEmpty()) {
      thread = null;
      return;
    }
    var executor =
        Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("headgate-rules").factory());
    thread = executor;
    long nanos = interval.toNanos();
    var unused = executor.scheduleWithFixedDelay(this::poll, nanos, nanos, TimeUnit.NANOSECONDS);
  }

  /** Returns the number of the rules in force: 1 at the start, and one more for each change. */
  long revision() {
    return revision.get();
  }

  private void poll() {
    try {
      var file = sources.file();
      if (file.isEmpty()) {
        report("the rule file does not exist any more");
        return;
      }
      var version = Version.of(file.get());
      if (seen.equals(Optional.of(version))) return;
      var rules = sources.read();
      if (!Version.of(file.get()).equals(version)) return; // still being written
      seen = Optional.of(version);
      reported = "";
      if (rules.rules().equals(limiter.rules().rules())) return;
      limiter.replaceRules(rules);
      LOG.info(
          "Revision %d of the rules is in force: %d rules"
              .formatted(revision.incrementAndGet(), rules.rules().size()));
    } catch (IOException | RuntimeException e) {
      report(String.valueOf(e.getMessage()));
    }
  }

  /** Logs a problem unless it was the last one logged. */
  private void report(String problem) {
    if (problem.equals(reported)) return;
    reported = problem;
    LOG.warn("The rules can't be reloaded; the previous ones stay in force:\n" + problem);
  }

  @Override
  public void close() {
    if (thread != null) thread.shutdownNow();
  }
}
