package io.headgate.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.RateLimiter;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.Rate;
import io.headgate.rule.FailurePolicy.Deny;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.store.Source;
import io.headgate.testkit.Eventually;
import io.headgate.testkit.net.TestCertificates;
import io.headgate.testkit.redis.RedisSentinelGroup;
import io.headgate.testkit.redis.RedisServer;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Connects with the options of an address. */
class ConnectionOptionsTest {
  private static final String KEY = "headgate:{user:42}r";
  private static final RuleSet RULES =
      RuleSet.of(
          Rule.named("r")
              .match("key", "user:*")
              .onStoreFailure(new Deny())
              .limit(FixedWindow.of(Rate.perDay(10)))
              .build());

  @Test
  void tlsRequiresTrustedCertificate() {
    try (var certificates = TestCertificates.create();
        var others = TestCertificates.create();
        var server = RedisServer.startWithTls(certificates)) {
      var options = RedisOptions.of(server.tlsUri());
      assertDecides(options.toBuilder().ca(certificates.certificate()).build());
      assertThat(problemOf(options.toBuilder().ca(others.certificate()).build()))
          .contains("not trusted", "Signature does not match", "--store-ca");
      assertThat(problemOf(options))
          .as("with the certificates of the system")
          .contains("not trusted", "certification path", "--store-ca");
    }
  }

  @Test
  void tlsRequiresHostNameOfCertificate() {
    try (var certificates = TestCertificates.create();
        var server = RedisServer.startWithTls(certificates)) {
      var other = RedisOptions.of("rediss://127.1:" + server.tlsPort()); // the same host
      assertThat(problemOf(other.toBuilder().ca(certificates.certificate()).build()))
          .contains("127.1");
    }
  }

  @Test
  void connectsWithPassword() {
    try (var server = RedisServer.start("--requirepass", "secret")) {
      assertDecides(RedisOptions.of("redis://:secret@127.0.0.1:" + server.port()));
      var wrong = problemOf(RedisOptions.of("redis://:guess@127.0.0.1:" + server.port()));
      assertThat(wrong).contains("WRONGPASS").doesNotContain("guess");
      assertThat(problemOf(RedisOptions.of(server.uri()))).contains("NOAUTH");
    }
  }

  @Test
  void connectsAsAclUser() {
    try (var server = RedisServer.start()) {
      server.call("ACL", "SETUSER", "gate", "on", ">secret", "~headgate:*", "&headgate:*", "+@all");
      assertDecides(RedisOptions.of("redis://gate:secret@127.0.0.1:" + server.port()));
      assertThat(server.call("ACL", "WHOAMI").text()).isEqualTo("default");
      var otherPrefix = RedisOptions.of("redis://gate:secret@127.0.0.1:" + server.port());
      assertThat(problemOf(otherPrefix.toBuilder().prefix("other:").build()))
          .containsAnyOf("NOPERM", "no permission");
    }
  }

  @Test
  void usesConfiguredDatabase() {
    try (var server = RedisServer.start()) {
      assertDecides(RedisOptions.of(server.uri() + "/3"));
      assertThat(server.call("INFO", "keyspace").text()).contains("db3:").doesNotContain("db0:");
    }
  }

  @Test
  void usesConfiguredPrefix() {
    try (var server = RedisServer.start()) {
      assertDecides(RedisOptions.builder(server.uri()).prefix("staging/gate:").build());
      assertThat(server.call("EXISTS", "staging/gate:{user:42}r").number()).isEqualTo(1);
      assertThat(server.call("EXISTS", KEY).number()).isZero();
    }
  }

  @Test
  void storesWithSamePrefixShareCounters() {
    try (var server = RedisServer.start()) {
      assertDecides(RedisOptions.of(server.uri()));
      assertDecides(RedisOptions.of(server.uri()), 8);
      assertDecides(RedisOptions.builder(server.uri()).prefix("other:").build());
    }
  }

  @Test
  void usesConfiguredDatabaseBehindSentinel() {
    try (var group = RedisSentinelGroup.start()) {
      assertDecides(RedisOptions.of(group.uri().replace("/0#", "/2#")));
      assertThat(group.primary().call("INFO", "keyspace").text()).contains("db2:");
    }
  }

  private static void assertDecides(RedisOptions options) {
    assertDecides(options, 9);
  }

  private static void assertDecides(RedisOptions options, long remaining) {
    try (var store =
        RedisStore.connect(options.toBuilder().deadline(Duration.ofSeconds(10)).build())) {
      var result = RateLimiter.with(store, RULES).checkForResult(Subject.of("user:42"));
      assertThat(result.source()).as(store.lastProblem().toString()).isEqualTo(Source.STORE);
      assertThat(result.limits().getFirst().remaining()).isEqualTo(remaining);
    }
  }

  private static String problemOf(RedisOptions options) {
    try (var store =
        RedisStore.connect(options.toBuilder().deadline(Duration.ofSeconds(10)).build())) {
      var result = RateLimiter.with(store, RULES).checkForResult(Subject.of("user:42"));
      assertThat(result.source()).isEqualTo(Source.FALLBACK);
      Eventually.holds(
          "the failure is recorded", Duration.ofSeconds(20), () -> store.lastProblem().isPresent());
      return store.lastProblem().orElseThrow();
    }
  }
}
