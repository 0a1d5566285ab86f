package io.headgate.cluster.internal;

import io.headgate.internal.script.CounterKeys;
import io.headgate.internal.script.ScriptExecutor;
import io.headgate.store.Store;
import io.headgate.store.Ticker;
import io.headgate.testkit.ReservationContract;
import java.time.Duration;

/** Runs the contract of reservations on a cluster of one member. */
class MemberReservationsTest extends ReservationContract {
  @Override
  protected Store open(Ticker ticker) {
    return ScriptExecutor.withClock(
        SharedMember.emptyConnection(),
        new CounterKeys(""),
        Duration.ofSeconds(10),
        ticker::micros);
  }
}
