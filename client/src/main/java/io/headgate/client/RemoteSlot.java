package io.headgate.client;

import io.headgate.Decision;
import io.headgate.load.CallOutcome;
import io.headgate.load.CompletedCall;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The result of {@link HeadgateClient#acquire}, with the slots that were acquired. Closing it
 * releases them; if the request was denied there are none, and closing has no effect.
 *
 * {@snippet file="io/headgate/client/ClientExamplesTest.java" region="slot"}
 *
 * <p>Safe for use by several threads. The first release counts; later ones have no effect.
 */
public final class RemoteSlot implements AutoCloseable {
  private final HeadgateClient client;
  private final RemoteResult result;
  private final long acquiredAt = System.nanoTime();
  private final AtomicBoolean released = new AtomicBoolean();

  RemoteSlot(HeadgateClient client, RemoteResult result) {
    this.client = client;
    this.result = result;
  }

  /** Returns the result of the check. */
  public RemoteResult result() {
    return result;
  }

  /** Returns the decision of the check. */
  public Decision decision() {
    return result.decision();
  }

  /** Returns whether the request may go ahead. */
  public boolean isAllowed() {
    return result.isAllowed();
  }

  /** Returns the id of the slots; empty if there are none. */
  public Optional<String> id() {
    return result.slotId();
  }

  /**
   * Renews the slots for a full lease from now; returns false if they have expired.
   *
   * @throws HeadgateException if the service is unavailable
   */
  public boolean renew() {
    return result.slotId().map(client::renew).orElse(false);
  }

  /**
   * Releases the slots after a call, with the time since the acquisition as its duration. Adaptive
   * limits learn from it. Ignores an unavailable service: the slots expire without a release.
   */
  public void release(CallOutcome outcome) {
    long micros = (System.nanoTime() - acquiredAt) / 1_000;
    var call = new CompletedCall(outcome, Math.min(Math.max(0, micros), CompletedCall.MAX_MICROS));
    end(id -> client.release(id, call));
  }

  /** Releases the slots. Adaptive limits learn nothing. Ignores an unavailable service. */
  @Override
  public void close() {
    end(client::release);
  }

  private interface Release {
    boolean of(String id);
  }

  private void end(Release release) {
    if (result.slotId().isEmpty() || !released.compareAndSet(false, true)) return;
    try {
      boolean unused = release.of(result.slotId().get());
    } catch (HeadgateException e) {
      // The slots expire.
    }
  }
}
