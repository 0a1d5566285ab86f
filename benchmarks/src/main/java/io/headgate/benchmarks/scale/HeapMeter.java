package io.headgate.benchmarks.scale;

import com.sun.management.GarbageCollectionNotificationInfo;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import javax.management.ListenerNotFoundException;
import javax.management.NotificationEmitter;
import javax.management.NotificationListener;
import javax.management.openmbean.CompositeData;

/** Records the pauses of garbage collections while it is open, and measures the live heap. */
final class HeapMeter implements AutoCloseable {
  private static final int COLLECTIONS = 4;
  private static final String CONCURRENT = "Concurrent";

  private final List<NotificationEmitter> emitters = new ArrayList<>();
  private final NotificationListener listener = (notification, unused) -> record(notification);
  private final AtomicLong pauses = new AtomicLong();
  private final AtomicLong longest = new AtomicLong();
  private final AtomicLong total = new AtomicLong();

  HeapMeter() {
    for (var collector : ManagementFactory.getGarbageCollectorMXBeans()) {
      // Concurrent cycles report their duration, in which the application runs.
      if (collector.getName().contains(CONCURRENT)) continue;
      if (collector instanceof NotificationEmitter emitter) {
        emitter.addNotificationListener(listener, null, null);
        emitters.add(emitter);
      }
    }
  }

  private void record(javax.management.Notification notification) {
    if (!(notification.getUserData() instanceof CompositeData data)) return;
    long millis = GarbageCollectionNotificationInfo.from(data).getGcInfo().getDuration();
    pauses.incrementAndGet();
    total.addAndGet(millis);
    longest.accumulateAndGet(millis, Math::max);
  }

  /** Returns the pauses so far as text: their number, the longest and the sum. */
  String pauses() {
    return "%d, longest %d ms, all %d ms".formatted(pauses.get(), longest.get(), total.get());
  }

  /** Returns the live heap in bytes, after several collections. */
  static long live() {
    for (int i = 0; i < COLLECTIONS; i++) System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }

  @Override
  public void close() throws ListenerNotFoundException {
    for (var emitter : emitters) emitter.removeNotificationListener(listener);
  }
}
