package io.headgate.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.limit.FixedWindow;
import io.headgate.limit.Rate;
import io.headgate.limit.ReturnHistory;
import io.headgate.limit.State;
import io.headgate.reservation.ReservationCommand;
import io.headgate.reservation.ReservationCommand.Action;
import io.headgate.reservation.ReservationCommand.Entry;
import io.headgate.reservation.ReservationRecord;
import io.headgate.reservation.ReservationReply.Status;
import io.headgate.reservation.ReservationStep;
import io.headgate.reservation.ReservedCharge;
import io.headgate.reservation.ReservedCharge.ExpiryCharge;
import io.headgate.rule.Charge;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReservationTableTest {
  private static final long SECOND = 1_000_000;
  private static final Rule RULE =
      Rule.named("r").match("key", "*").limit(FixedWindow.of(Rate.perDay(1_000_000))).build();

  private static Charge charge(long cost) {
    var request = Request.of(Subject.of("u"), cost);
    return RuleSet.of(RULE).plan(request, 0, 1).charges().getFirst();
  }

  private static ReservationCommand command(String nonce, Action action, long cost) {
    var reserved = new ReservedCharge(0, charge(cost), 0, SECOND, true, 1_000, ExpiryCharge.USED);
    return new ReservationCommand(
        nonce, token(nonce), 60 * SECOND, action, 0, List.of(new Entry(reserved, 3, 0)));
  }

  private static String token(String nonce) {
    return nonce + "x".repeat(400);
  }

  private static ReservationRecord record(String nonce) {
    return command(nonce, Action.UPDATE, 5).opened();
  }

  private static Status apply(ReservationTable table, ReservationCommand command) {
    return table
        .update(
            command,
            SECOND,
            record ->
                ReservationStep.of(
                    record, command, List.of(State.FRESH), List.of(ReturnHistory.NONE), SECOND))
        .status();
  }

  @Test
  void openReservationsAreBoundedInBytesAndEndedOnesGiveTheirsBack() {
    var table = new ReservationTable(1_000, 1_000, 16_000);
    var bytes = table.budgets().getLast();
    int added = 0;
    while (table.add("n" + added, token("n" + added), record("n" + added))) added++;
    assertThat(added).isBetween(8, 16);
    assertThat(bytes.used()).isBetween(bytes.limit() * 8 / 10, bytes.limit());
    assertThat(bytes.refused()).isOne();
    for (int i = 0; i < added; i++) {
      assertThat(apply(table, command("n" + i, Action.SETTLE, 5))).isEqualTo(Status.SETTLED);
    }
    assertThat(bytes.used()).isZero();
    assertThat(table.openCount()).isZero();
    assertThat(table.add("next", token("next"), record("next"))).isTrue();
  }

  @Test
  void endedReservationsAreBoundedInBytesAndTheOldestAreDroppedFirst() {
    var table = new ReservationTable(1_000, 1_000, 16_000);
    for (int i = 0; i < 100; i++) {
      assertThat(table.add("n" + i, token("n" + i), record("n" + i))).isTrue();
      apply(table, command("n" + i, Action.SETTLE, 5));
    }
    assertThat(apply(table, command("n0", Action.SETTLE, 5))).isEqualTo(Status.UNKNOWN);
    assertThat(apply(table, command("n99", Action.SETTLE, 5))).isEqualTo(Status.SETTLED);
  }

  @Test
  void unrecordedReservationThatIsUpdatedNeedsRoom() {
    var table = new ReservationTable(1, 1, 16_000);
    assertThat(apply(table, command("a", Action.UPDATE, 0))).isEqualTo(Status.OPEN);
    assertThat(table.openCount()).isOne();
    assertThatThrownBy(() -> apply(table, command("b", Action.UPDATE, 0)))
        .hasMessageContaining("no room for another open reservation");
    assertThat(apply(table, command("b", Action.SETTLE, 0))).isEqualTo(Status.SETTLED);
    assertThat(apply(table, command("a", Action.SETTLE, 0))).isEqualTo(Status.SETTLED);
    assertThat(table.openCount()).isZero();
    assertThat(table.budgets()).allSatisfy(budget -> assertThat(budget.used()).isZero());
  }

  @Test
  void discardedReservationGivesItsRoomBack() {
    var table = new ReservationTable(10, 1, 16_000);
    assertThat(table.add("a", token("a"), record("a"))).isTrue();
    table.discard(token("a"));
    assertThat(table.budgets()).allSatisfy(budget -> assertThat(budget.used()).isZero());
    assertThat(table.add("a", token("a"), record("a"))).isTrue();
  }
}
