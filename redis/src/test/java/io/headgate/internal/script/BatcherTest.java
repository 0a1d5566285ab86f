package io.headgate.internal.script;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.store.BatchScope;
import io.headgate.store.StoreException;
import io.headgate.store.StoreException.Kind;
import io.headgate.store.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/** Each command has a key of its own, so the number of keys of a call is that of its commands. */
@SuppressWarnings("try") // a scope has an effect without being referenced
class BatcherTest {
  private static final RuleSet RULES =
      RuleSet.of(
          Rule.named("r").match("key", "*").limit(TokenBucket.of(Rate.perSecond(9))).build());

  private final PendingConnection connection = new PendingConnection();
  private final List<Integer> roundTrips = new ArrayList<>();
  private final Batcher batcher =
      new Batcher(
          connection,
          new CounterKeys("b:"),
          new ServerClock(ServerClock.SERVER, Ticker.system()),
          new CommandDeadline("Redis", Duration.ofSeconds(1), 0, System::nanoTime),
          (commands, nanos) -> roundTrips.add(commands));
  private int submitted;

  @Test
  void commandIsSentImmediatelyWhileCallsAreAvailable() {
    submit(1);
    assertThat(sizes()).containsExactly(1);
    submit(Batcher.MAX_IN_FLIGHT - 1);
    assertThat(sizes()).containsExactly(1, 1, 1, 1);
  }

  /** The other thread submits three commands while the first command is being sent. */
  @Test
  void commandsAreSentInOrderIfTwoThreadsSubmit() {
    connection.duringNextCall =
        () -> {
          var other = Thread.ofPlatform().start(() -> submit(3));
          try {
            other.join();
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
        };
    submit(1);
    assertThat(sizes()).containsExactly(1, 3);
  }

  @Test
  void queuedCommandsAreSentTogetherWhenACallReturns() {
    submit(Batcher.MAX_IN_FLIGHT);
    submit(10);
    assertThat(sizes()).containsExactly(1, 1, 1, 1);
    answer(0);
    assertThat(sizes()).containsExactly(1, 1, 1, 1, 10);
    submit(5);
    answer(1);
    assertThat(sizes()).containsExactly(1, 1, 1, 1, 10, 5);
  }

  @Test
  void commandsOfAScopeAreSentTogetherWhenItCloses() {
    try (var scope = BatchScope.open()) {
      submit(12);
      assertThat(sizes()).isEmpty();
    }
    assertThat(sizes()).containsExactly(12);
    submit(1);
    assertThat(sizes()).containsExactly(12, 1);
  }

  @Test
  void fullBatchIsSentBeforeTheScopeCloses() {
    try (var scope = BatchScope.open()) {
      submit(Batcher.MAX_BATCH);
      assertThat(sizes()).containsExactly(32, 32, 32, 32);
    }
  }

  @Test
  void commandOfAnotherThreadIsSentImmediatelyAfterThoseOfAScope() throws InterruptedException {
    try (var scope = BatchScope.open()) {
      submit(2);
      Thread.ofPlatform().start(() -> submit(1)).join();
      assertThat(sizes()).containsExactly(3);
      submit(1);
    }
    assertThat(sizes()).containsExactly(3, 1);
  }

  @Test
  void largeQueueIsDividedAmongTheCalls() {
    submit(Batcher.MAX_IN_FLIGHT);
    submit(96);
    for (int call = 0; call < Batcher.MAX_IN_FLIGHT; call++) answer(call);
    assertThat(sizes()).containsExactly(1, 1, 1, 1, 25, 25, 25, 21);
  }

  @Test
  void smallQueueIsSentTogether() {
    submit(Batcher.MAX_IN_FLIGHT);
    submit(20);
    answer(0);
    answer(1);
    assertThat(sizes()).containsExactly(1, 1, 1, 1, 16, 4);
  }

  @Test
  void batchSizeIsBounded() {
    submit(Batcher.MAX_IN_FLIGHT);
    submit(3 * Batcher.MAX_BATCH + 200);
    answer(0);
    answer(1);
    answer(2);
    answer(3);
    answer(4);
    int max = Batcher.MAX_BATCH;
    assertThat(sizes()).containsExactly(1, 1, 1, 1, max, max, max, max, 72);
  }

  @Test
  void expiredCommandIsNeverSent() {
    submit(Batcher.MAX_IN_FLIGHT);
    var late = submit(3);
    expire(System.nanoTime());
    submit(1);
    answer(0);
    assertThat(sizes()).containsExactly(1, 1, 1, 1, 1);
    assertThat(late).allMatch(ScriptCommand::isCompletedExceptionally);
  }

  /** Otherwise its permits would be subtracted from the last answer for ever. */
  @Test
  void abandonedCommandThatIsNeverSentHasALateReplyWithoutCharges() {
    submit(Batcher.MAX_IN_FLIGHT);
    var command = submit(1).getFirst();
    var failure = PendingReply.abandon(command, new StoreException(Kind.TIMEOUT, "late", null));
    var late = failure.lateReply().orElseThrow().toCompletableFuture();
    assertThat(late).isNotDone();
    answer(0);
    assertThat(sizes()).containsExactly(1, 1, 1, 1);
    assertThat(late).isCompletedWithValueMatching(reply -> reply.charges().isEmpty());
  }

  /** Otherwise the charge would stay, although no request was admitted. */
  @Test
  void giveBackIsSentAfterTheDeadline() {
    submit(Batcher.MAX_IN_FLIGHT);
    var charge = command().charge();
    var giveBack = new ScriptCommand.GiveBack(new ChargeReceipt(charge, 1_000_000, 1_111_112));
    batcher.submit(giveBack);
    expire(System.nanoTime());
    answer(0);
    assertThat(sizes()).containsExactly(1, 1, 1, 1, 2); // the bucket and its returns
    expire(System.nanoTime());
    connection
        .calls
        .getLast()
        .reply()
        .complete(new MessagePackWriter().put(1_000_000).put(1).array());
    assertThat(giveBack).isCompletedWithValue(true);
  }

  @Test
  void expiredCallStaysInFlightUntilItReturns() {
    submit(Batcher.MAX_IN_FLIGHT);
    expire(System.nanoTime());
    submit(10);
    assertThat(sizes()).containsExactly(1, 1, 1, 1);
    answer(0);
    assertThat(sizes()).containsExactly(1, 1, 1, 1, 10);
  }

  @Test
  void deadlineIncludesTimeInQueue() {
    submit(Batcher.MAX_IN_FLIGHT);
    var waited = submit(1).getFirst();
    long then = System.nanoTime();
    answer(0);
    assertThat(sizes()).containsExactly(1, 1, 1, 1, 1);
    expire(then);
    assertThat(waited).isCompletedExceptionally();
  }

  @Test
  void malformedReplyFailsTheWholeBatch() {
    submit(Batcher.MAX_IN_FLIGHT);
    var commands = submit(3);
    answer(0);
    var reply = new MessagePackWriter().put(1).put(0).put(8).put(1).put(0).array();
    connection.calls.getLast().reply().complete(reply);
    assertThat(commands.getFirst()).isCompleted();
    assertThat(commands.subList(1, 3)).allMatch(ScriptCommand::isCompletedExceptionally);
    for (int call = 1; call < Batcher.MAX_IN_FLIGHT; call++) answer(call);
    assertThat(batcher.isIdle()).isTrue();
  }

  @Test
  void failedCallFailsOnlyItsCommands() {
    var first = submit(1);
    var second = submit(1);
    connection.calls.getFirst().reply().completeExceptionally(problem());
    assertThat(first.getFirst()).isCompletedExceptionally();
    assertThat(second.getFirst()).isNotDone();
    assertThatThrownBy(first.getFirst()::join)
        .isInstanceOf(CompletionException.class)
        .hasRootCause(problem());
  }

  @Test
  void commandsBeyondQueueLimitAreRejected() {
    submit(Batcher.MAX_IN_FLIGHT);
    submit(10_000);
    var tooMany = submit(1).getFirst();
    assertThat(tooMany.exceptionNow())
        .isInstanceOfSatisfying(
            StoreException.class, e -> assertThat(e.kind()).isEqualTo(Kind.OVERLOADED));
    answer(0);
    assertThat(submit(1).getFirst()).isNotDone();
  }

  @Test
  void batcherIsIdleAfterAllReplies() {
    assertThat(batcher.isIdle()).isTrue();
    submit(Batcher.MAX_IN_FLIGHT + 3);
    assertThat(batcher.isIdle()).isFalse();
    for (int call = 0; call <= Batcher.MAX_IN_FLIGHT; call++) answer(call);
    assertThat(batcher.isIdle()).isTrue();
  }

  private static final StoreException PROBLEM = new StoreException(Kind.TIMEOUT, "late", null);

  private static StoreException problem() {
    return PROBLEM;
  }

  @Test
  void unexpectedExceptionOfTheConnectionFailsTheCall() {
    connection.failure = new IllegalStateException("broken");
    assertThat(submit(1).getFirst().exceptionNow())
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("broken");
    assertThat(batcher.isIdle()).isTrue();
  }

  @Test
  void listenerIsNotifiedOfEachRoundTrip() {
    submit(Batcher.MAX_IN_FLIGHT + 3);
    answer(0);
    answer(Batcher.MAX_IN_FLIGHT);
    connection.calls.get(1).reply().completeExceptionally(problem());
    assertThat(roundTrips).containsExactly(1, 3, 1);
  }

  private List<ScriptCommand.PlanCommand> submit(int count) {
    var commands = new ArrayList<ScriptCommand.PlanCommand>();
    for (int i = 0; i < count; i++) {
      commands.add(command());
      batcher.submit(commands.getLast());
    }
    return commands;
  }

  private ScriptCommand.PlanCommand command() {
    var request = Request.of(Subject.of("k" + submitted++));
    return new ScriptCommand.PlanCommand(RULES.plan(request, 0, 0), true, back -> {});
  }

  private void expire(long then) {
    batcher.expire(then, then, problem());
  }

  private List<Integer> sizes() {
    return connection.calls.stream().map(PendingConnection.Call::keys).toList();
  }

  private void answer(int call) {
    var sent = connection.calls.get(call);
    var reply = new MessagePackWriter().put(1_000_000);
    for (int i = 0; i < sent.keys(); i++) reply.put(0).put(8).put(111_112).put(0);
    sent.reply().complete(reply.array());
  }
}
