package io.headgate.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.headgate.RateLimiter;
import io.headgate.rule.Charge;
import io.headgate.rule.Counter;
import io.headgate.rule.Plan;
import io.headgate.rule.Rule;
import io.headgate.server.rules.ChangeInfo;
import io.headgate.server.rules.ExpectedRevision;
import io.headgate.server.rules.RuleRepositoryException;
import io.headgate.server.rules.RulesFile;
import io.headgate.server.rules.database.DatabaseAddress;
import io.headgate.store.MemoryStore;
import io.headgate.store.PlanResult;
import io.headgate.store.Store;
import io.headgate.store.Ticker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EnforcedRulesTest {
  private static final Duration POLL_INTERVAL = Duration.ofMillis(10);

  @TempDir Path folder;

  /** A memory store that counts how often it is closed. */
  private record ClosingStore(Store store, AtomicInteger closed) implements Store {
    ClosingStore() {
      this(MemoryStore.create(), new AtomicInteger());
    }

    @Override
    public PlanResult decide(Plan plan) {
      return store.decide(plan);
    }

    @Override
    public PlanResult peek(Plan plan) {
      return store.peek(plan);
    }

    @Override
    public boolean renew(Charge charge) {
      return store.renew(charge);
    }

    @Override
    public boolean release(Charge charge) {
      return store.release(charge);
    }

    @Override
    public void reset(Counter counter, String key) {
      store.reset(counter, key);
    }

    @Override
    public long trackedKeys() {
      return store.trackedKeys();
    }

    @Override
    public void close() {
      closed.incrementAndGet();
    }
  }

  private RulesFile write(String id) throws IOException {
    String rule = "{ id: %s, limit: { algorithm: fixed-window, rate: 9/1h } }".formatted(id);
    return RulesFile.open(Files.writeString(folder.resolve("rules.yaml"), "rules: [" + rule + "]"));
  }

  private RuleSource database(String address, RulesFile file) {
    return new RuleSource.OfDatabase(
        DatabaseAddress.parse(address, folder),
        folder.resolve("snapshot.json"),
        POLL_INTERVAL,
        Optional.of(file));
  }

  private static List<String> ids(RateLimiter limiter) {
    return limiter.rules().rules().stream().map(Rule::id).toList();
  }

  private static EnforcedRules open(RuleSource source, Store store) {
    return EnforcedRules.open(source, store, Ticker.system());
  }

  @Test
  void rulesOfAFileAreInForceAtTheStartAndAfterEachChange() throws IOException {
    var source = new RuleSource.OfFile(write("first"), POLL_INTERVAL);
    try (var rules = open(source, MemoryStore.create())) {
      assertThat(ids(rules.limiter())).containsExactly("first");
      write("second");
      await().until(() -> ids(rules.limiter()).equals(List.of("second")));
    }
  }

  @Test
  void rulesOfADatabaseAreSeededAndChangesAreInForceAtOnce() throws IOException {
    try (var rules = open(database("h2:rules", write("first")), MemoryStore.create())) {
      assertThat(ids(rules.limiter())).containsExactly("first");
      write("second");
      await().until(() -> ids(rules.limiter()).equals(List.of("second")));
      rules
          .repository()
          .change(ExpectedRevision.any(), new ChangeInfo("alice", ""), old -> List.of());
      assertThat(ids(rules.limiter())).isEmpty();
    }
  }

  @Test
  void fileIsNotReadAgainOnceTheServiceStops() throws IOException {
    var source = new RuleSource.OfFile(write("first"), POLL_INTERVAL);
    try (var rules = open(source, MemoryStore.create())) {
      rules.stopWatching();
      write("second");
      await()
          .untilAsserted(() ->
              assertThat(Thread.getAllStackTraces().keySet())
                  .noneMatch(thread -> thread.getName().equals("headgate-rules")));
      assertThat(ids(rules.limiter())).containsExactly("first");
    }
  }

  @Test
  void storeIsClosedWithTheRules() throws IOException {
    var store = new ClosingStore();
    open(new RuleSource.OfFile(write("first"), POLL_INTERVAL), store).close();
    assertThat(store.closed).hasValue(1);
  }

  @Test
  void storeIsClosedIfTheRulesCannotBeLoaded() throws IOException {
    var store = new ClosingStore();
    var source = database("postgresql://127.0.0.1:1/none", write("first"));
    assertThatThrownBy(() -> open(source, store))
        .isInstanceOf(RuleRepositoryException.Unavailable.class);
    assertThat(store.closed).hasValue(1);
  }
}
