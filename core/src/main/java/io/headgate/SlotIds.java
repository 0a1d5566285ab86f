package io.headgate;

import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Numbers that nobody can guess, each given out once.
 *
 * <p>Drawn by the hundred: randomness of that kind has a lock before it, and takes nearly as long
 * for one number as for many.
 */
final class SlotIds {
  private static final int DRAWN_AT_ONCE = 256;

  private final SecureRandom random = new SecureRandom();
  private volatile Drawn drawn = new Drawn(new long[0]);

  private static final class Drawn {
    final long[] numbers;
    final AtomicInteger given = new AtomicInteger();

    Drawn(long[] numbers) {
      this.numbers = numbers;
    }
  }

  long next() {
    while (true) {
      var current = drawn;
      int place = current.given.getAndIncrement();
      if (place < current.numbers.length) return current.numbers[place];
      draw(current);
    }
  }

  @SuppressWarnings("ReferenceEquality")
  private synchronized void draw(Drawn exhausted) {
    if (drawn != exhausted) return; // another thread has
    var bytes = new byte[DRAWN_AT_ONCE * Long.BYTES];
    random.nextBytes(bytes);
    var numbers = new long[DRAWN_AT_ONCE];
    ByteBuffer.wrap(bytes).asLongBuffer().get(numbers);
    drawn = new Drawn(numbers);
  }
}
