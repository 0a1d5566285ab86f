package io.headgate.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Comparator;

/**
 * A temporary directory that only the current user can read. Closing it, or the exit of the JVM,
 * deletes it with its content.
 */
public final class ScratchDirectory implements AutoCloseable {
  private final Path path;

  private ScratchDirectory(Path path) {
    this.path = path;
  }

  /** Creates a directory whose name begins with the prefix. */
  public static ScratchDirectory create(String prefix) {
    try {
      var directory = new ScratchDirectory(Files.createTempDirectory(prefix));
      ExitHooks.closeAtExit(directory);
      return directory;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public Path path() {
    return path;
  }

  public Path resolve(String name) {
    return path.resolve(name);
  }

  @Override
  public void close() {
    try (var files = Files.walk(path)) {
      for (var file : files.sorted(Comparator.reverseOrder()).toList()) Files.deleteIfExists(file);
    } catch (NoSuchFileException e) {
      // Already deleted.
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    ExitHooks.remove(this);
  }

  @Override
  public String toString() {
    return path.toString();
  }
}
