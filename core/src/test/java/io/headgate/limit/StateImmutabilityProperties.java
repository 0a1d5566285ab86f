package io.headgate.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.Run.Turn;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.domains.Domain;

/** States are immutable, whatever is done with them and their successors. */
@Domain(LimitArbitraries.class)
class StateImmutabilityProperties {

  @Property(tries = 3_000)
  void stepsFromAStateAreRepeatable(
      @ForAll Limit limit, @ForAll History history, @ForAll History otherwise) {
    List<Turn> turns = Run.of(limit, history);
    // Continue from every earlier state with another history.
    for (var turn : turns) {
      var state = turn.before();
      for (var other : Run.of(limit, new History(turn.now(), otherwise.moves()))) {
        state = limit.step(state, other.now(), other.cost()).state();
      }
    }
    for (var turn : turns) {
      var again = limit.step(turn.before(), turn.now(), turn.cost());
      assertThat(again.outcome()).isEqualTo(turn.step().outcome());
      assertThat(again.state().freshAt()).isEqualTo(turn.step().state().freshAt());
      assertThat(again.state().used(turn.now())).isEqualTo(turn.step().state().used(turn.now()));
    }
  }
}
