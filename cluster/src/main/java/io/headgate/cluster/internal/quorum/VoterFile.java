package io.headgate.cluster.internal.quorum;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/**
 * Keeps an {@link Agreement} in a text file, so that a member that was restarted while it sees no
 * other does not decide alone. Not thread-safe.
 */
public final class VoterFile {
  private static final int MAX_BYTES = 1 << 20;

  private final Path file;
  private final String cluster;

  /**
   * Creates a file.
   *
   * @param cluster the name of the cluster; what a member of another cluster remembers is ignored
   */
  public VoterFile(Path file, String cluster) {
    this.file = file;
    this.cluster = cluster;
  }

  /**
   * Returns what was saved last; empty if nothing was, or for another cluster.
   *
   * @throws IllegalStateException if the file can't be read
   */
  public Optional<Agreement> load() {
    try {
      if (!Files.exists(file)) return Optional.empty();
      if (Files.size(file) > MAX_BYTES) throw new IllegalArgumentException("it is too long");
      var values = new HashMap<String, String>();
      for (var line : Files.readAllLines(file)) {
        int equals = line.indexOf('=');
        if (equals > 0) values.put(line.substring(0, equals), line.substring(equals + 1));
      }
      if (!cluster.equals(values.get("cluster"))) return Optional.empty();
      long version = Long.parseLong(value(values, "version"));
      var agreed = voters(version, value(values, "members"), value(values, "size"));
      var proposed = Optional.ofNullable(values.get("proposed"));
      return Optional.of(new Agreement(agreed, proposed.map(ids -> voters(version + 1, ids, "0"))));
    } catch (IOException | IllegalArgumentException e) {
      throw new IllegalStateException(
          "cannot read the members of the cluster from %s: %s; if the other members run, remove the file: they know"
              .formatted(file, e),
          e);
    }
  }

  private static String value(Map<String, String> values, String name) {
    var value = values.get(name);
    if (value == null) throw new IllegalArgumentException("it has no line " + name + "=");
    return value;
  }

  private static Voters voters(long version, String ids, String size) {
    var all = new TreeSet<String>(ids.isEmpty() ? List.of() : List.of(ids.split(",", -1)));
    return new Voters(version, all, Math.max(all.size(), Integer.parseInt(size)));
  }

  /** Saves an agreement; throws {@link UncheckedIOException}. */
  public void save(Agreement agreement) {
    var agreed = agreement.agreed();
    var text =
        """
        # The members of this cluster, of which a majority must be seen to decide. Remove this file
        # only if members are lost for good, after all others were stopped.
        cluster=%s
        version=%d
        size=%d
        members=%s
        """
            .formatted(cluster, agreed.version(), agreed.size(), String.join(",", agreed.ids()));
    if (agreement.proposed().isPresent()) {
      text += "proposed=" + String.join(",", agreement.proposed().get().ids()) + "\n";
    }
    var next = file.resolveSibling(file.getFileName() + ".tmp");
    try {
      var folder = file.toAbsolutePath().getParent();
      if (folder != null) Files.createDirectories(folder);
      try (var out =
          FileChannel.open(
              next,
              StandardOpenOption.CREATE,
              StandardOpenOption.WRITE,
              StandardOpenOption.TRUNCATE_EXISTING)) {
        var bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
        while (bytes.hasRemaining()) out.write(bytes);
        out.force(true);
      }
      Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
