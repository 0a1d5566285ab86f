package io.headgate;

import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Generates unguessable random 63-bit ids for the slots of a request.
 *
 * <p>They are not negative, so that the Base64 text of a slot id begins with a letter. A text that
 * began with a hyphen would be an option on a command line.
 *
 * <p>Draws them in batches of 256: {@link SecureRandom} is synchronized, and a call for one number
 * takes nearly as long as a call for many. Safe for use by several threads.
 */
final class SlotIds {
  private static final int BATCH_SIZE = 256;

  private final SecureRandom random = new SecureRandom();
  private volatile Batch batch = new Batch(new long[0]);

  private static final class Batch {
    final long[] ids;
    final AtomicInteger next = new AtomicInteger();

    Batch(long[] ids) {
      this.ids = ids;
    }
  }

  long next() {
    while (true) {
      var current = batch;
      int index = current.next.getAndIncrement();
      if (index < current.ids.length) return current.ids[index];
      refill(current);
    }
  }

  @SuppressWarnings("ReferenceEquality")
  private synchronized void refill(Batch exhausted) {
    if (batch != exhausted) return; // another thread has refilled it
    var bytes = new byte[BATCH_SIZE * Long.BYTES];
    random.nextBytes(bytes);
    var ids = new long[BATCH_SIZE];
    ByteBuffer.wrap(bytes).asLongBuffer().get(ids);
    for (int i = 0; i < ids.length; i++) ids[i] &= Long.MAX_VALUE;
    batch = new Batch(ids);
  }
}
