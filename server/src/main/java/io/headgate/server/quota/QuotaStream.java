package io.headgate.server.quota;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * The stream of one proxy: its buckets, and the actions to be sent. Created by {@link
 * QuotaBook#open}; guarded by the book.
 *
 * @param <B> the identity of a bucket in the protocol
 */
public final class QuotaStream<B> {
  final Map<B, QuotaBucket<B>> buckets = new HashMap<>();
  final List<QuotaAction<B>> outbox = new ArrayList<>();
  private final Consumer<List<QuotaAction<B>>> sink;
  boolean closed;

  QuotaStream(Consumer<List<QuotaAction<B>>> sink) {
    this.sink = sink;
  }

  void flush() {
    if (outbox.isEmpty()) return;
    var actions = List.copyOf(outbox);
    outbox.clear();
    if (!closed) sink.accept(actions);
  }
}
