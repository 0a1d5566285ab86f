package io.headgate.server.rules.database;

import io.headgate.server.files.PrivateFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The last good rules in a file, for a start while the database is away. */
final class SnapshotFile {
  private static final Logger LOG = LoggerFactory.getLogger(SnapshotFile.class);

  private final Path file;
  private @Nullable StoredSnapshot kept;
  private boolean complained;

  SnapshotFile(Path file) {
    this.file = file;
  }

  Path file() {
    return file;
  }

  /**
   * @throws IOException if there is none, or none that can be used
   */
  StoredSnapshot read() throws IOException {
    try {
      return SnapshotText.read(Files.readString(file), Map.of());
    } catch (NoSuchFileException e) {
      throw new IOException("there is no copy of its rules in " + file, e);
    } catch (IOException e) {
      throw new IOException("the copy of its rules can't be read: " + e, e);
    } catch (RuntimeException e) {
      throw new IOException(
          "the copy of its rules, %s, can't be used: %s".formatted(file, e.getMessage()), e);
    }
  }

  /** Replaces the file as a whole, if it has changed. That it can't be written stops nobody. */
  @SuppressWarnings("ReferenceEquality")
  synchronized void keep(StoredSnapshot copy) {
    if (copy == kept) return;
    try {
      write(SnapshotText.of(copy));
      kept = copy;
      complained = false;
    } catch (IOException e) {
      if (!complained) {
        LOG.warn(
            "the last good rules can't be written to {} ({}); while that is so, a start without"
                + " the database takes older ones, or fails",
            file,
            e.toString());
      }
      complained = true;
    }
  }

  private void write(String text) throws IOException {
    var folder = file.toAbsolutePath().getParent();
    if (folder == null) throw new IOException("it is in no directory");
    PrivateFiles.makeDirectory(folder, true);
    var next = Files.createTempFile(folder, file.getFileName().toString(), ".new");
    try {
      try (var channel = FileChannel.open(next, StandardOpenOption.WRITE)) {
        var bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
        while (bytes.hasRemaining()) channel.write(bytes);
        channel.force(true);
      }
      Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } finally {
      Files.deleteIfExists(next);
    }
  }
}
