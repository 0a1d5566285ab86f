package io.headgate.cluster.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.internal.script.CounterKeys;
import io.headgate.internal.script.ScriptExecutor;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.Outcome.Passed;
import io.headgate.limit.Rate;
import io.headgate.limit.Window;
import io.headgate.load.Setpoint;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.store.SignalReport;
import io.headgate.store.Store;
import io.headgate.store.StoreException;
import io.headgate.testkit.Eventually;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.time.Duration;
import java.time.ZoneId;
import java.util.Collections;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Operations of a member by its own clock, on a cluster of one. */
class SharedMemberTest {
  private static final RuleSet RULES =
      RuleSet.of(
          Rule.named("daily")
              .match("key", "*")
              .limit(
                  FixedWindow.of(
                      3, new Window.Calendar(Window.Unit.YEAR, ZoneId.of("Europe/Zurich"))))
              .build());

  private static Store store() {
    return ScriptExecutor.withClock(
        SharedMember.emptyConnection(),
        new CounterKeys(""),
        Duration.ofSeconds(10),
        ScriptExecutor.SERVER_CLOCK);
  }

  @Test
  void ownerComputesCalendarWindowsByItsClock() {
    try (var store = store()) {
      var plan = RULES.plan(Request.of(Subject.of("k")), 0, 0);
      for (int i = 0; i < 3; i++) {
        assertThat(store.decide(plan).first()).isInstanceOf(Passed.class);
      }
      assertThat(store.decide(plan).first()).isNotInstanceOf(Passed.class);
      assertThat(store.trackedKeys()).isEqualTo(1);
    }
  }

  @Test
  void counterExpiresWithItsState() {
    var limit = FixedWindow.of(Rate.of(5, Duration.ofMillis(10)));
    var rules = RuleSet.of(Rule.named("short").match("key", "*").limit(limit).build());
    try (var store = store()) {
      store.decide(rules.plan(Request.of(Subject.of("k")), 0, 0));
      assertThat(store.trackedKeys()).isEqualTo(1);
      Eventually.holds("the entry expires", Duration.ofSeconds(30), () -> store.trackedKeys() == 0);
    }
  }

  @Test
  void memberListensAtItsOwnAddressOnly() throws Exception {
    SharedMember.node();
    for (int port : SharedMember.ports()) {
      try (var socket = new Socket(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), port)) {
        assertThat(socket.isConnected()).isTrue();
      }
      for (var each : Collections.list(NetworkInterface.getNetworkInterfaces())) {
        for (var address : Collections.list(each.getInetAddresses())) {
          if (address.getHostAddress().startsWith("127.")) continue;
          assertThatThrownBy(() -> new Socket(address, port).close())
              .as("%s port %d", address, port)
              .isInstanceOf(ConnectException.class);
        }
      }
    }
  }

  @Test
  void malformedBatchIsRefusedAndChangesNothing() throws Exception {
    var connection = SharedMember.node().connection();
    var reply =
        connection.call(PartitionCall.Kind.BATCH, "{k}rule", new byte[] {1, 2, 3, 4, 5, 6, 7});
    assertThatThrownBy(() -> reply.toCompletableFuture().get(10, TimeUnit.SECONDS))
        .hasCauseInstanceOf(StoreException.class)
        .hasMessageContaining("malformed");
  }

  @Test
  void loadOfABackendIsKeptAtTheOwner() throws Exception {
    var signals = new ClusterSignalStore(SharedMember.node().connection(), "");
    var counter = RULES.counter("daily", -1, "daily").orElseThrow();
    var report = new SignalReport(counter, "b", new Setpoint(0.8, 1), 7, 0.95, 1, 11);
    var reported = signals.report(report).toCompletableFuture().get(10, TimeUnit.SECONDS);
    var read = signals.read(counter, "b").toCompletableFuture().get(10, TimeUnit.SECONDS);
    assertThat(read.value()).isEqualTo(0.95).isEqualTo(reported.value());
    assertThat(read.reporters()).isEqualTo(1);
    assertThat(read.seed()).isEqualTo(11);
  }

  @Test
  void messageOfATopicReachesListenersAndItsContentIsStored() throws Exception {
    var events = new MemberEvents();
    SharedMember.node().listen(events);
    var channel = new ClusterChannel(SharedMember.node().connection(), events);
    var heard = new CopyOnWriteArrayList<String>();
    channel.listen("rules", heard::add);
    channel
        .post("rules", new byte[] {1, 2}, Duration.ofMinutes(1), "5")
        .toCompletableFuture()
        .get(10, TimeUnit.SECONDS);
    Eventually.holds("the notice arrives", Duration.ofSeconds(10), () -> heard.contains("5"));
    assertThat(channel.read("rules").toCompletableFuture().get(10, TimeUnit.SECONDS).orElseThrow())
        .containsExactly(1, 2);
    assertThat(channel.read("other").toCompletableFuture().get(10, TimeUnit.SECONDS)).isEmpty();
  }
}
