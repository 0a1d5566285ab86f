package io.headgate.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

// A scope has an effect without being referenced, and its operations are compared by identity.
@SuppressWarnings({"try", "UnnecessaryLambda"})
class BatchScopeTest {
  private final List<String> sent = new ArrayList<>();
  private final Runnable first = () -> sent.add("first");
  private final Runnable second = () -> sent.add("second");

  @Test
  void nothingIsPostponedWithoutAScope() {
    assertThat(BatchScope.postpone(first)).isFalse();
    BatchScope.flush();
    assertThat(sent).isEmpty();
  }

  @Test
  void eachOperationIsRunOnceWhenTheScopeCloses() {
    try (var scope = BatchScope.open()) {
      for (int i = 0; i < 3; i++) {
        assertThat(BatchScope.postpone(first)).isTrue();
        assertThat(BatchScope.postpone(second)).isTrue();
      }
      assertThat(sent).isEmpty();
    }
    assertThat(sent).containsExactly("first", "second");
    assertThat(BatchScope.postpone(first)).isFalse();
  }

  @Test
  void flushRunsOperationsAndKeepsTheScopeOpen() {
    try (var scope = BatchScope.open()) {
      BatchScope.postpone(first);
      BatchScope.flush();
      assertThat(sent).containsExactly("first");
      assertThat(BatchScope.postpone(first)).isTrue();
    }
    assertThat(sent).containsExactly("first", "first");
  }

  @Test
  void closingScopePostponesNothing() {
    try (var scope = BatchScope.open()) {
      BatchScope.postpone(() -> sent.add("postponed: " + BatchScope.postpone(first)));
    }
    assertThat(sent).containsExactly("postponed: false");
  }

  @Test
  void scopeOfAnotherThreadHasNoEffect() throws InterruptedException {
    try (var scope = BatchScope.open()) {
      var postponed = new ArrayList<Boolean>();
      Thread.ofPlatform().start(() -> postponed.add(BatchScope.postpone(first))).join();
      assertThat(postponed).containsExactly(false);
    }
  }

  @Test
  void threadHasOneScope() {
    try (var scope = BatchScope.open()) {
      assertThat(BatchScope.isOpen()).isTrue();
      assertThatThrownBy(BatchScope::open).isInstanceOf(IllegalStateException.class);
    }
    assertThat(BatchScope.isOpen()).isFalse();
    BatchScope.open().close();
  }
}
