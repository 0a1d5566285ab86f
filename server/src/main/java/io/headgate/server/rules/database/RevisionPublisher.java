package io.headgate.server.rules.database;

import io.headgate.rule.Rule;
import io.headgate.store.InstanceChannel;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Distributes new revisions to other instances through a shared Redis, within milliseconds.
 * Instances that miss one find it by polling the database, so failures here are harmless.
 */
final class RevisionPublisher {
  private static final Logger LOG = LoggerFactory.getLogger(RevisionPublisher.class);

  /** How long Redis stores a revision: long enough for every running instance to read it. */
  static final Duration TIME_TO_LIVE = Duration.ofMinutes(10);

  private static final long READ_TIMEOUT_MILLIS = 500;

  private final InstanceChannel broadcast;

  RevisionPublisher(InstanceChannel broadcast) {
    this.broadcast = broadcast;
  }

  /** Publishes a snapshot without waiting for the result. */
  void publish(StoredSnapshot snapshot) {
    var content = compress(SnapshotText.of(snapshot));
    var unused =
        broadcast
            .post(
                topic(snapshot.repositoryId()),
                content,
                TIME_TO_LIVE,
                Long.toString(snapshot.number()))
            .exceptionally(failure -> {
              LOG.debug("revision {} could not be published", snapshot.number(), failure);
              return null;
            });
  }

  /**
   * Reads the snapshot published last.
   *
   * @param rulesByText rules already parsed, by their texts
   * @return empty if there is none or it cannot be read
   */
  Optional<StoredSnapshot> read(String repositoryId, Map<String, Rule> rulesByText) {
    try {
      return broadcast
          .read(topic(repositoryId))
          .toCompletableFuture()
          .completeOnTimeout(Optional.empty(), READ_TIMEOUT_MILLIS, TimeUnit.MILLISECONDS)
          .join()
          .map(content -> SnapshotText.read(decompress(content), rulesByText))
          .filter(snapshot -> snapshot.repositoryId().equals(repositoryId));
    } catch (CompletionException e) {
      return Optional.empty(); // Redis is unavailable
    } catch (RuntimeException e) {
      LOG.warn(
          "the rules stored in Redis under {} are invalid ({}); reading them from the database"
              + " instead",
          topic(repositoryId),
          e.getMessage());
      return Optional.empty();
    }
  }

  /**
   * Notifies {@code listener} of the number of each revision that others publish, on a thread that
   * must not block.
   */
  void subscribe(String repositoryId, LongConsumer listener) {
    broadcast.listen(
        topic(repositoryId),
        notice -> {
          if (notice.matches("[0-9]{1,18}")) listener.accept(Long.parseLong(notice));
        });
  }

  static String topic(String repositoryId) {
    return "rules:" + repositoryId;
  }

  /**
   * Compresses the text. Rules resemble each other, and a large message would delay the checks that
   * share the connection.
   */
  private static byte[] compress(String text) {
    var bytes = new ByteArrayOutputStream();
    try (var out = new GZIPOutputStream(bytes)) {
      out.write(text.getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  private static String decompress(byte[] content) {
    try (var in = new GZIPInputStream(new ByteArrayInputStream(content))) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
