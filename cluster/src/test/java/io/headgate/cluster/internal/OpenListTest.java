package io.headgate.cluster.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.internal.script.ScriptConnection;
import io.headgate.store.ReservationStore;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The list of open reservations on a cluster of one member, by the time that each call gives. */
class OpenListTest {
  private static final byte[][] KEYS = {
    bytes("{*reservations}open"), bytes("{*reservations}secret")
  };
  private static final long SECOND = 1_000_000;

  private final ScriptConnection connection = SharedMember.emptyConnection();

  private static byte[] bytes(Object value) {
    return value.toString().getBytes(StandardCharsets.UTF_8);
  }

  private List<Object> call(Object... arguments) throws Exception {
    var encoded = new byte[arguments.length][];
    for (int i = 0; i < encoded.length; i++) encoded[i] = bytes(arguments[i]);
    return connection.reservations(KEYS, encoded).toCompletableFuture().get(20, TimeUnit.SECONDS);
  }

  /** Lists ids that expire a second apart; returns the number of all. */
  private long list(int from, int to) throws Exception {
    var arguments = new ArrayList<Object>(List.of(0, "list", 100_000, 10_000));
    for (int i = from; i < to; i++) arguments.addAll(List.of(i * SECOND, "id" + i));
    return (Long) call(arguments.toArray()).getLast();
  }

  private List<String> due(long seconds, int max) throws Exception {
    var reply = call(seconds * SECOND, "due", max, "secret");
    return reply.subList(2, reply.size()).stream()
        .map(id -> new String((byte[]) id, StandardCharsets.UTF_8))
        .toList();
  }

  @Test
  void expiredIdsAreListedTheEarliestFirst() throws Exception {
    assertThat(list(1, 301)).isEqualTo(300);
    assertThat(due(0, 10)).isEmpty();
    assertThat(due(3, 10)).containsExactly("id1", "id2", "id3");
    assertThat(due(200, 4)).containsExactly("id1", "id2", "id3", "id4");
    assertThat(due(200, 1_000)).hasSize(200);
  }

  @Test
  void rescheduledIdExpiresLaterAndARemovedOneNever() throws Exception {
    list(1, 4);
    assertThat(
            call(0, "list", 100_000, 10_000, 9 * SECOND, "id1", -1, "id2", -1, "unknown").getLast())
        .isEqualTo(2L);
    assertThat(due(8, 10)).containsExactly("id3");
    assertThat(due(9, 10)).containsExactly("id3", "id1");
    assertThat(call(0, "list", 100_000, 10_000, -1, "id1", -1, "id3").getLast()).isEqualTo(0L);
    assertThat(due(9, 10)).isEmpty();
    assertThat(connection.size().toCompletableFuture().get(20, TimeUnit.SECONDS))
        .as("only the secret is left")
        .isEqualTo(1);
  }

  @Test
  void idsWithinOneSecondExpireAtTheirOwnTime() throws Exception {
    call(0, "list", 100_000, 10_000, 1_200_000, "early", 1_800_000, "late");
    var reply = call(1_500_000, "due", 10, "secret");
    assertThat(reply.subList(2, reply.size())).containsExactly(bytes("early"));
  }

  @Test
  void fullListTakesNoMoreIds() throws Exception {
    var arguments = new ArrayList<Object>(List.of(0, "list", OpenListClient.SHARDS, 10_000));
    for (int i = 0; i < 1_000; i++) arguments.addAll(List.of(SECOND, "id" + i));
    assertThat((Long) call(arguments.toArray()).getLast())
        .isBetween((long) OpenListClient.SHARDS, 2L * OpenListClient.SHARDS);
  }

  @Test
  void listTakesABoundedNumberOfIdsOfOneSubject() throws Exception {
    int max = ReservationStore.MAX_PER_SUBJECT * OpenListClient.MARGIN;
    var arguments = new ArrayList<Object>(List.of(0, "list", 1_000_000, max));
    for (int i = 0; i < max + max / 4; i++) arguments.addAll(List.of(SECOND, "subject1" + i));
    var reply = call(arguments.toArray());
    assertThat((Long) reply.getLast()).isBetween(max / 2L, (long) max);
    assertThat(reply.subList(0, reply.size() - 1))
        .filteredOn(fits -> fits.equals(1L))
        .hasSize(Math.toIntExact((Long) reply.getLast()));
    assertThat(call(0, "list", 1_000_000, max, SECOND, "subject2").getFirst()).isEqualTo(1L);
    int refused = reply.indexOf(0L);
    var again = "subject1" + refused;
    assertThat(call(0, "list", 1_000_000, max, SECOND, again).getFirst()).isEqualTo(0L);
    var removed = new ArrayList<Object>(List.of(0, "list", 1_000_000, max));
    for (int i = 0; i < max + max / 4; i++) removed.addAll(List.of(-1, "subject1" + i));
    call(removed.toArray());
    assertThat(call(0, "list", 1_000_000, max, SECOND, again).getFirst()).isEqualTo(1L);
  }

  @Test
  void firstSecretIsKept() throws Exception {
    assertThat(call(0, "due", 0, "first").getFirst()).isEqualTo(bytes("first"));
    assertThat(call(0, "due", 0, "second").getFirst()).isEqualTo(bytes("first"));
  }
}
