package io.headgate.server.files;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Polls files and reloads all of them when one has changed.
 *
 * <p>A change is loaded when two consecutive polls see the same stamps, since a file that is still
 * being written could be mistaken for a complete one. A file that can't be used is logged once and
 * retried at each poll, while the previous content stays in force. Runs on a thread of its own.
 */
public final class FileWatcher implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(FileWatcher.class);

  /** Reads the files and applies their content. */
  @FunctionalInterface
  public interface Reload {
    /**
     * Reads the files and applies their content; on failure changes nothing.
     *
     * @throws IOException if a file can't be read
     * @throws IllegalArgumentException if its content is not valid
     */
    void run() throws IOException;
  }

  private final String what;
  private final List<Path> files;
  private final Reload reload;
  private final ScheduledExecutorService thread;
  private List<FileStamp> loaded;
  private List<FileStamp> polled; // at the last poll
  private String lastProblem = "";

  private FileWatcher(String what, List<Path> files, List<FileStamp> loaded, Reload reload) {
    this.what = what;
    this.files = files;
    this.loaded = loaded;
    this.polled = loaded;
    this.reload = reload;
    this.thread =
        Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("headgate-files").factory());
  }

  /**
   * Reads the files now, and again whenever one of them has changed.
   *
   * @param what the name of the files in the log
   * @param interval the time between two polls
   * @throws IOException if the files can't be read now
   * @throws IllegalArgumentException if their content is not valid now
   */
  public static FileWatcher watch(String what, List<Path> files, Duration interval, Reload reload)
      throws IOException {
    var before = stamps(files); // before reading, so that a concurrent write counts as a change
    reload.run();
    var watcher = new FileWatcher(what, List.copyOf(files), before, reload);
    long nanos = interval.toNanos();
    var unused =
        watcher.thread.scheduleWithFixedDelay(watcher::poll, nanos, nanos, TimeUnit.NANOSECONDS);
    return watcher;
  }

  private static List<FileStamp> stamps(List<Path> files) throws IOException {
    var stamps = new ArrayList<FileStamp>();
    for (var file : files) stamps.add(FileStamp.of(file));
    return stamps;
  }

  private void poll() {
    try {
      var now = stamps(files);
      boolean stable = now.equals(polled);
      polled = now;
      if (!stable || now.equals(loaded)) return;
      reload.run();
      loaded = now;
      lastProblem = "";
      LOG.info("reloaded {} after a change", what);
      // Files that belong together are rarely written at once, so a failure is retried.
    } catch (IOException e) {
      logProblem(e.toString());
    } catch (IllegalArgumentException e) {
      logProblem(String.valueOf(e.getMessage()));
    } catch (RuntimeException e) {
      LOG.error("cannot reload {}; trying again", what, e);
    }
  }

  /** Logs a problem once until it changes or is solved. */
  private void logProblem(String problem) {
    if (problem.equals(lastProblem)) return;
    lastProblem = problem;
    LOG.warn("{} changed but can't be used: {}; keeping the previous content", what, problem);
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
