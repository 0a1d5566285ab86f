package io.headgate.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.Window.Calendar;
import java.time.Instant;
import java.time.YearMonth;
import java.time.temporal.ChronoUnit;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.domains.Domain;

/**
 * Every field of every answer is what slow and obvious counting gives, also when time steps back.
 */
@Domain(Histories.class)
class OracleProperties {

  @Property(tries = 2_000)
  void aTokenBucketAnswersAsExactFractionsDo(@ForAll TokenBucket limit, @ForAll History history) {
    compare(limit, SlowBucket.of(limit), history);
  }

  @Property(tries = 2_000)
  void aLeakyBucketAnswersAsExactFractionsDo(@ForAll LeakyBucket limit, @ForAll History history) {
    compare(limit, SlowBucket.of(limit), history);
  }

  @Property(tries = 2_000)
  void aFixedWindowAnswersAsACountPerWindowDoes(
      @ForAll FixedWindow limit, @ForAll History history) {
    var slow = new SlowFixedWindow(limit.permits(), now -> Math.floorDiv(now, limit.window()));
    compare(limit, slow, history);
  }

  @Property(tries = 300)
  void aCalendarWindowAnswersAsACountPerDateDoes(@ForAll Calendar cut, @ForAll History history) {
    compare(new FixedWindow(5, cut), new SlowFixedWindow(5, now -> name(cut, now)), history);
  }

  /** What people would call the time: a date, a month, the week of a Monday. */
  private static Object name(Calendar cut, long now) {
    var local = Instant.EPOCH.plus(now, ChronoUnit.MICROS).atZone(cut.zone());
    return switch (cut.unit()) {
      case HOUR -> local.truncatedTo(ChronoUnit.HOURS);
      case DAY -> local.toLocalDate();
      case WEEK -> local.toLocalDate().minusDays(local.getDayOfWeek().getValue() - 1);
      case MONTH -> YearMonth.from(local);
      case YEAR -> local.getYear();
    };
  }

  @Property(tries = 1_000)
  void aSlidingWindowAnswersAsCountingEachPieceAnewDoes(
      @ForAll SlidingWindow limit, @ForAll History history) {
    compare(limit, new SlowSlidingWindow(limit), history);
  }

  @Property(tries = 1_000)
  void aRollingWindowAnswersAsCountingEachRequestAnewDoes(
      @ForAll RollingWindow limit, @ForAll History history) {
    compare(limit, new SlowRollingWindow(limit), history);
  }

  @Property(tries = 2_000)
  void aConcurrencyLimitAnswersAsAListOfLeasesDoes(
      @ForAll Concurrency limit, @ForAll History history) {
    var slow = new SlowConcurrency(limit);
    var run = new Run(limit, history.start());
    for (int i = 0; i < history.moves().size(); i++) {
      var turn = run.turn(history.moves().get(i));
      check(run, turn, slow.ask(turn.now(), turn.cost(), i));
    }
  }

  private static void compare(Limit limit, Slow slow, History history) {
    assertThat(limit.capacity()).isEqualTo(slow.capacity());
    var run = new Run(limit, history.start());
    for (var move : history.moves()) {
      var turn = run.turn(move);
      check(run, turn, slow.ask(turn.now(), turn.cost()));
    }
  }

  private static void check(Run run, Run.Turn turn, Outcome expected) {
    assertThat(turn.step().outcome()).as(() -> "%s".formatted(run.turns())).isEqualTo(expected);
    long reset = turn.now() + expected.resetAfter();
    assertThat(Math.max(turn.now(), turn.step().state().freshAt())).isEqualTo(reset);
  }
}
