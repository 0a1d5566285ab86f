package io.headgate.server.cli;

import io.headgate.server.cli.output.CommandContext;
import io.headgate.server.cli.output.Progress;
import io.headgate.server.simulation.accesslog.AccessLog;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.util.List;

/** Reads files of logs one after the other, and shows somebody who waits how far it has come. */
final class AccessLogFiles {
  private static final String STANDARD_INPUT = "-";

  private final CommandContext around;
  private final List<String> names;

  AccessLogFiles(CommandContext around, List<String> names) {
    this.around = around;
    this.names = names;
  }

  /** Each is there and may be read: of what is missing, nobody wants to hear after an hour. */
  void requireAll() {
    for (var name : names) {
      if (name.equals(STANDARD_INPUT)) continue;
      var file = around.directory().resolve(name);
      if (!Files.exists(file)) {
        throw SimulateCommand.unreadable(name, new NoSuchFileException(name));
      }
      if (!Files.isReadable(file)) {
        throw SimulateCommand.unreadable(name, new AccessDeniedException(name));
      }
    }
  }

  void read(AccessLog log) {
    var progress = new Progress(around, size(), log::lines);
    for (var name : names) {
      try (var in = new Counted(open(name), progress)) {
        log.read(in, names.size() == 1 ? "" : name);
      } catch (IOException e) {
        progress.clear();
        throw SimulateCommand.unreadable(name, e);
      }
    }
    progress.clear();
  }

  private InputStream open(String name) throws IOException {
    return name.equals(STANDARD_INPUT)
        ? System.in
        : Files.newInputStream(around.directory().resolve(name));
  }

  /** Of all files together; 0 where nobody knows. */
  private long size() {
    long sum = 0;
    for (var name : names) {
      if (name.equals(STANDARD_INPUT)) return 0;
      try {
        sum += Files.size(around.directory().resolve(name));
      } catch (IOException e) {
        return 0; // reading it will say what is wrong
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
