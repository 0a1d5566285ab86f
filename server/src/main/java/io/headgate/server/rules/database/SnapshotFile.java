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

/** The last known rules in a file, for a start while the database is unavailable. Thread-safe. */
final class SnapshotFile {
  private static final Logger LOG = LoggerFactory.getLogger(SnapshotFile.class);

  private final Path file;
  private @Nullable StoredSnapshot written;
  private boolean reported;

  SnapshotFile(Path file) {
    this.file = file;
  }

  Path file() {
    return file;
  }

  /**
   * Reads the snapshot.
   *
   * @throws IOException if there is none or it cannot be used
   */
  StoredSnapshot read() throws IOException {
    try {
      return SnapshotText.read(Files.readString(file), Map.of());
    } catch (NoSuchFileException e) {
      throw new IOException("there is no snapshot of its rules in " + file, e);
    } catch (IOException e) {
      throw new IOException("the snapshot of its rules cannot be read: " + e, e);
    } catch (RuntimeException e) {
      throw new IOException(
          "the snapshot of its rules, %s, is invalid: %s".formatted(file, e.getMessage()), e);
    }
  }

  /**
   * Replaces the file atomically if the snapshot is new. A failure is logged once and has no other
   * effect.
   */
  @SuppressWarnings("ReferenceEquality")
  synchronized void write(StoredSnapshot snapshot) {
    if (snapshot == written) return;
    try {
      write(SnapshotText.of(snapshot));
      written = snapshot;
      reported = false;
    } catch (IOException e) {
      if (!reported) {
        LOG.warn(
            "cannot write the rules to {} ({}); until that succeeds, a start while the database is"
                + " unavailable uses older rules or fails",
            file,
            e.toString());
      }
      reported = true;
    }
  }

  private void write(String text) throws IOException {
    var folder = file.toAbsolutePath().getParent();
    if (folder == null) throw new IOException("it has no parent directory");
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
