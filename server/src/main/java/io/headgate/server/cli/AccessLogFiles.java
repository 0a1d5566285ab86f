package io.headgate.server.cli;

import io.headgate.server.cli.output.CommandContext;
import io.headgate.server.cli.output.Progress;
import io.headgate.server.cli.output.SystemErrorText;
import io.headgate.server.simulation.accesslog.AccessLog;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.util.List;

/** Reads access log files one after the other and shows the progress on a terminal. */
final class AccessLogFiles {
  private static final String STANDARD_INPUT = "-";

  private final CommandContext context;
  private final List<String> names;

  AccessLogFiles(CommandContext context, List<String> names) {
    this.context = context;
    this.names = names;
  }

  /**
   * Checks that all files exist and are readable, before a replay that may take long.
   *
   * @throws CommandFailure if one does not or is not
   */
  void requireAll() {
    for (var name : names) {
      if (name.equals(STANDARD_INPUT)) continue;
      var file = context.directory().resolve(name);
      if (!Files.exists(file)) {
        throw SystemErrorText.failure(name, new NoSuchFileException(name));
      }
      if (!Files.isReadable(file)) {
        throw SystemErrorText.failure(name, new AccessDeniedException(name));
      }
    }
  }

  /**
   * Reads all files.
   *
   * @throws CommandFailure if one can't be read
   */
  void read(AccessLog log) {
    var progress = new Progress(context, size(), log::lines);
    for (var name : names) {
      try (var in = new Counted(open(name), progress)) {
        log.read(in, names.size() == 1 ? "" : name);
      } catch (IOException e) {
        progress.clear();
        throw SystemErrorText.failure(name, e);
      }
    }
    progress.clear();
  }

  private InputStream open(String name) throws IOException {
    return name.equals(STANDARD_INPUT)
        ? System.in
        : Files.newInputStream(context.directory().resolve(name));
  }

  /** Returns the total size of the files; 0 if it is unknown. */
  private long size() {
    long sum = 0;
    for (var name : names) {
      if (name.equals(STANDARD_INPUT)) return 0;
      try {
        sum += Files.size(context.directory().resolve(name));
      } catch (IOException e) {
        return 0; // reading the file reports the problem
      }
    }
    return sum;
  }

  private static final class Counted extends FilterInputStream {
    private final Progress progress;

    Counted(InputStream in, Progress progress) {
      super(in);
      this.progress = progress;
    }

    @Override
    public int read(byte[] bytes, int from, int length) throws IOException {
      int got = super.read(bytes, from, length);
      progress.read(Math.max(0, got));
      return got;
    }
  }
}
