package io.headgate.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.Window.Calendar;
import java.time.Instant;
import java.time.YearMonth;
import java.time.temporal.ChronoUnit;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.domains.Domain;

/** Every field of every outcome equals that of a reference model, even if the clock steps back. */
@Domain(LimitArbitraries.class)
class ReferenceModelProperties {

  @Property(tries = 2_000)
  void tokenBucketMatchesExactFractions(@ForAll TokenBucket limit, @ForAll History history) {
    compare(limit, ReferenceBucket.of(limit), history);
  }

  @Property(tries = 2_000)
  void leakyBucketMatchesExactFractions(@ForAll LeakyBucket limit, @ForAll History history) {
    compare(limit, ReferenceBucket.of(limit), history);
  }

  @Property(tries = 2_000)
  void fixedWindowMatchesACountPerWindow(@ForAll FixedWindow limit, @ForAll History history) {
    var reference =
        new ReferenceFixedWindow(limit.permits(), now -> Math.floorDiv(now, limit.window()));
    compare(limit, reference, history);
  }

  @Property(tries = 300)
  void calendarWindowMatchesACountPerDate(@ForAll Calendar alignment, @ForAll History history) {
    compare(
        FixedWindow.of(5, alignment),
        new ReferenceFixedWindow(5, now -> name(alignment, now)),
        history);
  }

  /** Returns the calendar name of a time: a date, a month, or the Monday of its week. */
  private static Object name(Calendar alignment, long now) {
    var local = Instant.EPOCH.plus(now, ChronoUnit.MICROS).atZone(alignment.zone());
    return switch (alignment.unit()) {
      case HOUR -> local.truncatedTo(ChronoUnit.HOURS);
      case DAY -> local.toLocalDate();
      case WEEK -> local.toLocalDate().minusDays(local.getDayOfWeek().getValue() - 1);
      case MONTH -> YearMonth.from(local);
      case YEAR -> local.getYear();
    };
  }

  @Property(tries = 1_000)
  void slidingWindowMatchesRecountingEachBucket(
      @ForAll SlidingWindow limit, @ForAll History history) {
    compare(limit, new ReferenceSlidingWindow(limit), history);
  }

  @Property(tries = 1_000)
  void rollingWindowMatchesRecountingEachRequest(
      @ForAll RollingWindow limit, @ForAll History history) {
    compare(limit, new ReferenceRollingWindow(limit), history);
  }

  @Property(tries = 2_000)
  void concurrencyLimitMatchesAListOfSlots(@ForAll Concurrency limit, @ForAll History history) {
    var reference = new ReferenceConcurrency(limit);
    var run = new Run(limit, history.start());
    for (int i = 0; i < history.moves().size(); i++) {
      var turn = run.turn(history.moves().get(i));
      check(run, turn, reference.check(turn.now(), turn.cost(), i));
    }
  }

  private static void compare(Limit limit, ReferenceLimit reference, History history) {
    assertThat(limit.capacity()).isEqualTo(reference.capacity());
    var run = new Run(limit, history.start());
    for (var move : history.moves()) {
      var turn = run.turn(move);
      check(run, turn, reference.check(turn.now(), turn.cost()));
    }
  }

  private static void check(Run run, Run.Turn turn, Outcome expected) {
    assertThat(turn.step().outcome()).as(() -> "%s".formatted(run.turns())).isEqualTo(expected);
    long reset = turn.now() + expected.resetAfter();
    assertThat(Math.max(turn.now(), turn.step().state().freshAt())).isEqualTo(reset);
  }
}
