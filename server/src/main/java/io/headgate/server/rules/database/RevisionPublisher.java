package io.headgate.server.rules.database;

import io.headgate.redis.Broadcast;
import io.headgate.rule.Rule;
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
 * Brings new editions to other instances through the Redis that they share, in milliseconds. What
 * does not arrive this way is found by asking the database, so nothing that fails here matters.
 */
final class RevisionPublisher {
  private static final Logger LOG = LoggerFactory.getLogger(RevisionPublisher.class);

  /** Long enough for every instance that is there to take it. */
  static final Duration KEPT = Duration.ofMinutes(10);

  private static final long PATIENCE_MILLIS = 500;

  private final Broadcast bulletin;

  RevisionPublisher(Broadcast bulletin) {
    this.bulletin = bulletin;
  }

  /** Does not wait. */
  void post(StoredSnapshot copy) {
    var content = packed(SnapshotText.of(copy));
    var unused =
        bulletin
            .post(topic(copy.book()), content, KEPT, Long.toString(copy.number()))
            .exceptionally(failure -> {
              LOG.debug("revision {} was not passed on", copy.number(), failure);
              return null;
            });
  }

  /** What was posted last, if it is there and can be read. */
  Optional<StoredSnapshot> read(String book, Map<String, Rule> known) {
    try {
      return bulletin
          .read(topic(book))
          .toCompletableFuture()
          .completeOnTimeout(Optional.empty(), PATIENCE_MILLIS, TimeUnit.MILLISECONDS)
          .join()
          .map(content -> SnapshotText.read(unpacked(content), known))
          .filter(copy -> copy.book().equals(book));
    } catch (CompletionException e) {
      return Optional.empty(); // Redis is away
    } catch (RuntimeException e) {
      LOG.warn(
          "what Redis has under {} are no rules ({}); the database is asked instead",
          topic(book),
          e.getMessage());
      return Optional.empty();
    }
  }

  /** Says the number of each edition that others post. Called by a thread that must not wait. */
  void listen(String book, LongConsumer posted) {
    bulletin.listen(
        topic(book),
        notice -> {
          if (notice.matches("[0-9]{1,18}")) posted.accept(Long.parseLong(notice));
        });
  }

  static String topic(String book) {
    return "rules:" + book;
  }

  /** Rules resemble each other, and what is sent holds up the checks that share the connection. */
  private static byte[] packed(String text) {
    var bytes = new ByteArrayOutputStream();
    try (var out = new GZIPOutputStream(bytes)) {
      out.write(text.getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  private static String unpacked(byte[] content) {
    try (var in = new GZIPInputStream(new ByteArrayInputStream(content))) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
