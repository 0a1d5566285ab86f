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
 * Looks again and again whether any of some files has changed, and then has them read, once they
 * are the same at two looks: one that is still being written might pass for a shorter one. What
 * can't be used is reported once, and tried again; what was in force stays so.
 */
public final class FileWatcher implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(FileWatcher.class);

  /** Reads the files and puts them in force. */
  @FunctionalInterface
  public interface Reading {
    /**
     * @throws IOException if a file can't be read
     * @throws IllegalArgumentException if what is in it can't be used
     */
    void read() throws IOException;
  }

  private final String what;
  private final List<Path> files;
  private final Reading reading;
  private final ScheduledExecutorService thread;
  private List<FileStamp> seen;
  private List<FileStamp> found; // at the last look
  private String complaint = "";

  private FileWatcher(String what, List<Path> files, List<FileStamp> seen, Reading reading) {
    this.what = what;
    this.files = files;
    this.seen = seen;
    this.found = seen;
    this.reading = reading;
    this.thread =
        Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("headgate-files").factory());
  }

  /**
   * Reads the files now, which must succeed, and from then on whenever one of them has changed.
   *
   * @param what names them in the log
   */
  public static FileWatcher follow(
      String what, List<Path> files, Duration interval, Reading reading) throws IOException {
    var before = stamps(files); // before reading: what is written meanwhile is seen as a change
    reading.read();
    var followed = new FileWatcher(what, List.copyOf(files), before, reading);
    long nanos = interval.toNanos();
    var unused =
        followed.thread.scheduleWithFixedDelay(followed::look, nanos, nanos, TimeUnit.NANOSECONDS);
    return followed;
  }

  private static List<FileStamp> stamps(List<Path> files) throws IOException {
    var stamps = new ArrayList<FileStamp>();
    for (var file : files) stamps.add(FileStamp.of(file));
    return stamps;
  }

  private void look() {
    try {
      var now = stamps(files);
      boolean settled = now.equals(found);
      found = now;
      if (!settled || now.equals(seen)) return;
      reading.read();
      seen = now;
      complaint = "";
      LOG.info("{} changed and in force", what);
      // Files that belong together are rarely written at once, so it is tried again.
    } catch (IOException e) {
      complain(e.toString());
    } catch (IllegalArgumentException e) {
      complain(String.valueOf(e.getMessage()));
    } catch (RuntimeException e) {
      LOG.error("{} could not be followed", what, e); // and the next look comes all the same
    }
  }

  /** Says the same thing once, however often it is found. */
  private void complain(String problem) {
    if (problem.equals(complaint)) return;
    complaint = problem;
    LOG.warn("{} changed but can't be used: {}; what was in force stays so", what, problem);
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
