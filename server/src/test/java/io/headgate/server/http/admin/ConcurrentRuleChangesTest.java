package io.headgate.server.http.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.Concurrency;
import io.headgate.rule.Rule;
import io.headgate.rulefile.RuleFile;
import io.headgate.server.http.Admin;
import io.headgate.server.http.RunningService;
import java.util.ArrayList;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** Concurrent clients that read the rules, add one, and write them back. */
class ConcurrentRuleChangesTest {
  private static final int WRITERS = 16;
  private static final int RULES_EACH = 3;

  @Test
  void concurrentChangesLoseNoUpdate() throws Exception {
    try (var service = RunningService.with();
        var pool = Executors.newFixedThreadPool(WRITERS)) {
      var start = new CyclicBarrier(WRITERS);
      var writers = new ArrayList<Future<Integer>>();
      for (int i = 0; i < WRITERS; i++) {
        int writer = i;
        writers.add(pool.submit(() -> write(service.port(), writer, start)));
      }
      int conflicts = 0;
      for (var writer : writers) conflicts += writer.get();
      var ids = service.repository.inForce().rules().rules().stream().map(Rule::id).toList();
      assertThat(ids).hasSize(WRITERS * RULES_EACH).doesNotHaveDuplicates();
      assertThat(service.limiter.rules()).isSameAs(service.repository.inForce().rules());
      assertThat(service.repository.inForce().number()).isEqualTo(1 + WRITERS * RULES_EACH);
      assertThat(conflicts).isGreaterThanOrEqualTo(WRITERS - 1);
    }
  }

  private static int write(int port, int writer, CyclicBarrier start) throws Exception {
    int conflicts = 0;
    try (var admin = new Admin(port)) {
      for (int i = 0; i < RULES_EACH; ) {
        var read = admin.get("/v1/rules");
        if (i == 0 && conflicts == 0) start.await(); // all have read the same revision
        var rules = new ArrayList<>(RuleFile.read(read.body()));
        rules.add(Rule.named("w" + writer + "-" + i).limit(Concurrency.of(1)).build());
        String tag = "If-Match: " + read.header("ETag");
        var answer = admin.put("/v1/rules", RuleFile.json(rules), tag);
        if (answer.status() == 200) i++;
        else if (answer.status() == 412) conflicts++;
        else throw new AssertionError(answer.toString());
      }
    }
    return conflicts;
  }
}
