package io.headgate.server.http.transport;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class DeadlineListTest {
  private static final class Waiting extends BodyReceiver {
    @Override
    void onTimeout() {}
  }

  private final DeadlineList list = new DeadlineList();
  private final Waiting first = new Waiting();
  private final Waiting second = new Waiting();
  private final Waiting third = new Waiting();

  @Test
  void requestsExpireAfterTheirDeadline() {
    list.put(first, 5);
    list.put(second, 3);
    list.put(third, 4);
    assertThat(list.removeExpired(3)).isEmpty();
    assertThat(list.removeExpired(5)).containsExactly(second, third);
    assertThat(list.removeExpired(6)).containsExactly(first);
    assertThat(list.removeExpired(7)).isEmpty();
  }

  @Test
  void removedRequestDoesNotExpire() {
    list.put(first, 1);
    list.put(second, 1);
    list.put(third, 1);
    list.remove(second);
    list.remove(second);
    assertThat(list.removeExpired(2)).containsExactly(first, third);
    list.remove(first);
    list.put(first, 2);
    assertThat(list.removeExpired(3)).containsExactly(first);
  }

  @Test
  void deadlineCanBeChanged() {
    list.put(first, 1);
    list.put(first, 9);
    assertThat(list.removeExpired(2)).isEmpty();
    assertThat(list.removeExpired(10)).containsExactly(first);
  }
}
