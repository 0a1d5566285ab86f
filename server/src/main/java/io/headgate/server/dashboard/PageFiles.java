package io.headgate.server.dashboard;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * All files of the dashboard in memory, by their paths such as {@code assets/index-1a2b.js}.
 * Immutable.
 */
public final class PageFiles {
  /** Lists all other files, since a class path can't be listed. */
  private static final String LIST = "files.txt";

  private static final String INDEX = "index.html";

  private final Map<String, PageFile> byPath;

  private PageFiles(Map<String, PageFile> byPath) {
    this.byPath = Map.copyOf(byPath);
  }

  /** Reads the files from the class path; empty if the dashboard module is not on it. */
  public static PageFiles onClassPath() {
    var files = new HashMap<String, PageFile>();
    try (var list = open(LIST)) {
      if (list == null) return new PageFiles(files);
      for (var path : new String(list.readAllBytes(), StandardCharsets.UTF_8).lines().toList()) {
        files.put(path, new PageFile(path, read(path)));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return new PageFiles(files);
  }

  /** Returns the HTML page. */
  public Optional<PageFile> index() {
    return find(INDEX);
  }

  /** Returns the file of a path; empty if there is none. */
  public Optional<PageFile> find(String path) {
    return Optional.ofNullable(byPath.get(path));
  }

  private static byte[] read(String path) throws IOException {
    try (var in = open(path)) {
      return Objects.requireNonNull(in, () -> path + " is listed in " + LIST + " but missing")
          .readAllBytes();
    }
  }

  private static @Nullable InputStream open(String path) {
    return PageFiles.class.getResourceAsStream(path);
  }
}
