package io.headgate.server.http.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.RateLimiter;
import io.headgate.limit.Concurrency;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.server.Service;
import io.headgate.server.ServiceSettings;
import io.headgate.server.api.AccessControl;
import io.headgate.server.http.Admin;
import io.headgate.server.rules.ChangeInfo;
import io.headgate.server.rules.ExpectedRevision;
import io.headgate.server.rules.InMemoryRuleRepository;
import io.headgate.server.rules.Revision;
import io.headgate.server.rules.RuleModified;
import io.headgate.server.rules.RuleRepository;
import io.headgate.server.rules.RuleRepositoryException;
import io.headgate.server.rules.RuleRevision;
import io.headgate.server.rules.RuleSnapshot;
import io.headgate.store.Ticker;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Rule repositories that are read-only or unavailable. */
class RuleRepositoryFailuresTest {
  private static final Rule RULE = Rule.named("all").limit(Concurrency.of(1)).build();
  private static final String FILE = "the rules are those of rules.yaml; change them there";
  private static final String DATABASE = "the database at db:5432 does not answer";

  /** Rules of a file, which only a change of the file changes. */
  private static class FileRepository implements RuleRepository {
    final InMemoryRuleRepository repository = InMemoryRuleRepository.of(RuleSet.of(RULE));

    @Override
    public RuleSnapshot inForce() {
      return repository.inForce();
    }

    @Override
    public Condition condition() {
      return new Condition("file rules.yaml", Optional.of(FILE), Optional.empty());
    }

    @Override
    public void follow(Consumer<RuleSnapshot> use) {
      repository.follow(use);
    }

    @Override
    public RuleSnapshot latest() {
      return repository.latest();
    }

    @Override
    public RuleSnapshot at(long number) {
      return repository.at(number);
    }

    @Override
    public List<Revision> history(long before, int limit) {
      return repository.history(before, limit);
    }

    @Override
    public List<RuleRevision> history(String rule, long before, int limit) {
      return repository.history(rule, before, limit);
    }

    @Override
    public Map<String, RuleModified> lastChanges() {
      return repository.lastChanges();
    }

    @Override
    public RuleSnapshot change(
        ExpectedRevision expected, ChangeInfo change, UnaryOperator<List<Rule>> edit) {
      throw new RuleRepositoryException.ReadOnly(FILE);
    }

    @Override
    public RuleSnapshot restore(long number, ExpectedRevision expected, ChangeInfo change) {
      throw new RuleRepositoryException.ReadOnly(FILE);
    }

    @Override
    public void close() {}
  }

  /** Rules in a database that is unavailable. */
  private static final class UnavailableRepository extends FileRepository {
    private static RuleRepositoryException unavailable() {
      return new RuleRepositoryException.Unavailable(DATABASE, null);
    }

    @Override
    public Condition condition() {
      return new Condition("database", Optional.empty(), Optional.of(DATABASE));
    }

    @Override
    public RuleSnapshot latest() {
      throw unavailable();
    }

    @Override
    public RuleSnapshot at(long number) {
      throw unavailable();
    }

    @Override
    public List<Revision> history(long before, int limit) {
      throw unavailable();
    }

    @Override
    public List<RuleRevision> history(String rule, long before, int limit) {
      throw unavailable();
    }

    @Override
    public Map<String, RuleModified> lastChanges() {
      throw unavailable();
    }

    @Override
    public RuleSnapshot change(
        ExpectedRevision expected, ChangeInfo change, UnaryOperator<List<Rule>> edit) {
      throw unavailable();
    }

    @Override
    public RuleSnapshot restore(long number, ExpectedRevision expected, ChangeInfo change) {
      throw unavailable();
    }
  }

  private interface Use {
    void of(Admin admin);
  }

  private static void with(RuleRepository repository, Use use) throws Exception {
    var access = new AccessControl(Optional.of("s3cret"), Optional.empty());
    var settings =
        new ServiceSettings("127.0.0.1", 0, access, Duration.ofMinutes(1), Duration.ZERO, 1);
    try (var limiter = RateLimiter.inMemory(repository.inForce().rules());
        var service = Service.start(settings, limiter, repository, Ticker.system());
        var admin = new Admin(service.port())) {
      use.of(admin);
    }
  }

  private static final String TOKEN = "Authorization: Bearer s3cret";

  private static void assertAll(Admin admin, int status, String expected) {
    var one = "{\"id\":\"all\",\"limit\":{\"algorithm\":\"concurrency\",\"max\":2}}";
    for (var answer :
        List.of(
            admin.put("/v1/rules", "[]", TOKEN),
            admin.put("/v1/rules/all", one, TOKEN),
            admin.delete("/v1/rules/all", TOKEN),
            admin.post("/v1/revisions/1/restore", TOKEN))) {
      assertThat(answer.status()).as(answer.body()).isEqualTo(status);
      assertThat(answer.mediaType()).isEqualTo("application/problem+json");
      assertThat(answer.body()).contains(expected);
    }
  }

  @Test
  void readOnlyRepositoryRejectsChangesWithTheReason() throws Exception {
    with(
        new FileRepository(),
        admin -> {
          assertAll(admin, 403, FILE);
          assertThat(admin.get("/v1/rules", TOKEN).status()).isEqualTo(200);
          assertThat(admin.get("/health/ready", TOKEN).body())
              .contains(
                  "\"repository\":{\"source\":\"file rules.yaml\",\"revision\":1,\"readOnly\":true,\"unavailable\":false,\"reason\":\""
                      + FILE);
          var dryRun = admin.put("/v1/rules?dry-run=true", "[]", TOKEN);
          assertThat(dryRun.status()).isEqualTo(200);
          assertThat(dryRun.body()).contains("\"readOnly\":\"" + FILE, "\"removed\":1");
        });
  }

  @Test
  void unavailableDatabaseIsReportedAndRulesInForceAreReadable() throws Exception {
    with(
        new UnavailableRepository(),
        admin -> {
          assertAll(admin, 503, DATABASE);
          for (var path :
              List.of(
                  "/v1/rules",
                  "/v1/rules/all",
                  "/v1/revisions",
                  "/v1/revisions?rule=all",
                  "/v1/revisions/1")) {
            var answer = admin.get(path, TOKEN);
            assertThat(answer.status()).as(path).isEqualTo(503);
            assertThat(answer.header("Retry-After")).isEqualTo("1");
          }
          assertThat(admin.get("/v1/stats/rules", TOKEN).body())
              .contains("\"rule\":\"all\"", "\"changedAt\":null,\"changedIn\":null");
          assertThat(admin.get("/v1/rules?in-force=true", TOKEN).body()).contains("\"id\":\"all\"");
          assertThat(admin.get("/v1/rules/all?in-force=true", TOKEN).status()).isEqualTo(200);
          var ready = admin.get("/health/ready", TOKEN);
          assertThat(ready.status()).isEqualTo(200);
          assertThat(ready.body())
              .contains("\"readOnly\":false,\"unavailable\":true,\"problem\":\"" + DATABASE);
        });
  }

  @Test
  void rulesRequireAnAdminToken() throws Exception {
    with(
        InMemoryRuleRepository.of(RuleSet.of(RULE)),
        admin -> {
          for (var path :
              List.of("/v1/rules", "/v1/rules/all", "/v1/revisions", "/v1/revisions/1")) {
            assertThat(admin.get(path).status()).as(path).isEqualTo(401);
            assertThat(admin.get(path, TOKEN).status()).as(path).isEqualTo(200);
          }
          assertThat(admin.put("/v1/rules", "[]").status()).isEqualTo(401);
          assertThat(admin.put("/v1/rules/all", "{}").status()).isEqualTo(401);
          assertThat(admin.delete("/v1/rules/all").status()).isEqualTo(401);
          assertThat(admin.post("/v1/revisions/1/restore").status()).isEqualTo(401);
          var changed = admin.put("/v1/rules", "[]", TOKEN);
          assertThat(changed.body()).contains("\"author\":\"admin\"");
        });
  }
}
