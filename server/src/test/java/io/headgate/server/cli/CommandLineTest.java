package io.headgate.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.RateLimiter;
import io.headgate.rule.RuleSet;
import io.headgate.rulefile.RuleFile;
import io.headgate.server.Service;
import io.headgate.server.Settings;
import io.headgate.server.http.Access;
import io.headgate.server.rules.RuleBookInMemory;
import io.headgate.store.MemoryStore;
import io.headgate.store.Ticker;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The commands that end by themselves, in this JVM, against a real service where they ask one. */
class CommandLineTest {
  private static final String RULES =
      """
      rules:
        - id: per-user
          match: { key: "user:*" }
          limit: { algorithm: fixed-window, rate: 3/1h }
          overrides:
            - { match: { key: "user:42" }, limit: { algorithm: fixed-window, rate: 5/1h } }
        - id: contract
          match: { tenant: "*" }
          limits:
            - { name: calls, algorithm: fixed-window, rate: 10/1h }
            - { name: bytes, algorithm: fixed-window, rate: 1000/1h, cost: bytes }
        - id: jobs
          match: { job: "*" }
          limit: { algorithm: concurrency, max: 2, lease: 30s }
        - id: line
          match: { line: "*" }
          limit: { algorithm: leaky-bucket, rate: 10/1s, queue: 5 }
        - id: trial
          match: { trial: "*" }
          mode: shadow
          limit: { algorithm: fixed-window, rate: 1/1h }
      """;

  @TempDir Path folder;

  private final Map<String, String> environment = new HashMap<>();
  private final RateLimiter limiter =
      RateLimiter.with(
          MemoryStore.create(() -> 1_789_300_800_000_000L, 1_000),
          RuleSet.of(RuleFile.read(RULES)),
          () -> 1_789_300_800_000_000L);
  private Service service;
  private int code;
  private String out = "";
  private String err = "";

  @BeforeEach
  void start() throws Exception {
    serve(Access.OPEN);
  }

  private void serve(Access access) throws Exception {
    var settings = new Settings("127.0.0.1", 0, access, Duration.ofMinutes(1), Duration.ZERO, 1);
    var book = RuleBookInMemory.of(limiter.rules());
    book.follow(edition -> limiter.replaceRules(edition.rules()));
    service = Service.start(settings, limiter, book, Ticker.system());
    environment.put("HEADGATE_URL", "http://127.0.0.1:" + service.port());
  }

  @AfterEach
  void stop() {
    service.close();
    limiter.close();
  }

  private void run(String... args) {
    var written = new StringWriter();
    var complained = new StringWriter();
    var around =
        new Surroundings(
            environment,
            folder,
            new PrintWriter(written, true),
            new PrintWriter(complained, true),
            false);
    code = Main.run(around, args);
    out = written.toString().replace("\r\n", "\n");
    err = complained.toString().replace("\r\n", "\n");
  }

  @Test
  void anAllowedCheckSaysWhatIsLeftAndExitsWithZero() {
    run("check", "user:7");
    assertThat(out).isEqualTo("allowed  per-user: 2 of 3 left, all back in 1h\n");
    assertThat(err).isEmpty();
    assertThat(code).isEqualTo(0);
  }

  @Test
  void aDeniedCheckSaysWhenToRetryAndExitsWithOne() {
    run("check", "user:7", "--cost", "3");
    run("check", "user:7");
    assertThat(out).isEqualTo("denied  per-user: 0 of 3 left, all back in 1h, retry in 1h\n");
    assertThat(code).isEqualTo(1);
  }

  @Test
  void anImpossibleCostIsSaidToBeSo() {
    run("check", "user:7", "--cost=4");
    assertThat(out)
        .isEqualTo("denied  per-user: 3 of 3 left, the cost is more than it ever holds\n");
    assertThat(code).isEqualTo(1);
  }

  @Test
  void severalLimitsAreListedBelow() {
    run("check", "user:7", "--attr", "tenant=acme", "--costs", "bytes=512");
    assertThat(out)
        .isEqualTo(
            """
            allowed  per-user: 2 of 3 left, all back in 1h
              limits   per-user 2/3, contract/calls 9/10, contract/bytes 488/1000
            """);
  }

  @Test
  void aSlotIsPrintedWithItsLease() {
    run("check", "--attr", "job=etl");
    assertThat(out).matches("allowed  jobs: 1 of 2 left, all back in 30s\n  lease    [\\w-]+\n");
  }

  @Test
  void aPlaceInLineIsTakenOrWaitedFor() {
    run("check", "--attr", "line=x");
    run("check", "--attr", "line=x");
    assertThat(out).isEqualTo("allowed  line: 4 of 6 left, all back in 200ms, go ahead in 100ms\n");
    run("check", "--attr", "line=x", "--wait");
    assertThat(out).isEqualTo("allowed  line: 3 of 6 left, all back in 100ms, waited 200ms\n");
  }

  @Test
  void aShadowRulesOpinionIsPrinted() {
    run("check", "--attr", "trial=x");
    run("check", "--attr", "trial=x");
    assertThat(out).isEqualTo("allowed  no rule applies\n  shadow   would deny: trial\n");
    assertThat(code).isEqualTo(0);
  }

  @Test
  void peekingChargesNothing() {
    for (int i = 0; i < 9; i++) run("check", "user:7", "--peek");
    assertThat(out).startsWith("allowed  per-user: 2 of 3 left");
    run("check", "user:7", "--peek", "--wait");
    assertThat(code).isEqualTo(2);
  }

  @Test
  void theAnswerCanBeHadAsItCame() {
    run("check", "nobody", "--json");
    assertThat(out)
        .isEqualTo(
            """
            {"allowed":true,"rule":null,"limit":null,"remaining":null,"retryAfterMs":0,\
            "resetAfterMs":0,"delayMs":0,"evidence":"store","violated":[],"limits":[]}
            """);
  }

  @Test
  void explainingShowsWhatAppliesAndWhatNearlyDoes() {
    run("check", "user:42");
    run("explain", "user:42", "--attr", "tenant=acme");
    assertThat(out)
        .isEqualTo(
            """
            2 rules apply to key=user:42, tenant=acme
              per-user  applies, with override 1: key user:42 matches user:*
                        fixed-window: 4 of 5 left, all back in 1h
              contract  applies: tenant acme matches *
                        calls, fixed-window: 10 of 10 left
                        bytes, fixed-window: 1000 of 1000 left
            Not these:
              jobs      job is (absent), not *
              line      line is (absent), not *
              trial     trial is (absent), not *
            """);
    assertThat(code).isEqualTo(0);
    run("explain", "user:42", "--json");
    assertThat(out).startsWith("{\"subject\":{\"key\":\"user:42\"},\"rules\":[{");
  }

  @Test
  void aTokenIsShownWhereOneIsWanted() throws Exception {
    service.close();
    serve(new Access(Optional.of("adm1n"), Optional.of("ch3ck")));
    run("check", "user:7");
    assertThat(err)
        .isEqualTo(
            "headgate: the service says 401: a token is needed; send the header Authorization: Bearer <token>\n");
    assertThat(code).isEqualTo(2);
    run("check", "user:7", "--token", "ch3ck");
    assertThat(code).isEqualTo(0);
    environment.put("HEADGATE_TOKEN", "ch3ck");
    run("check", "user:7");
    assertThat(code).isEqualTo(0);
  }

  @Test
  void aServiceThatDoesNotRunIsSaidNotTo() throws IOException {
    String nobody;
    try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      nobody = "http://127.0.0.1:" + socket.getLocalPort();
    }
    run("check", "user:7", "--url", nobody);
    assertThat(err)
        .isEqualTo(
            "headgate: no service answers at %s; start one with ./headgate serve, or name it with --url\n"
                .formatted(nobody));
    assertThat(code).isEqualTo(2);
  }

  @ParameterizedTest
  @ValueSource(strings = {"localhost:8080", "ftp://x", "http://", "::", "http:// x"})
  void whatIsNoAddressIsRefused(String url) {
    run("check", "user:7", "--url", url);
    assertThat(err).contains("'" + url + "' is no address of a service");
    assertThat(code).isEqualTo(2);
  }

  @Test
  void whatTheServiceRefusesIsPassedOn() {
    run("check", "user:7", "--cost", "-1");
    assertThat(err).contains("the service says 400: cost must be 0 to 9007199254740992, got -1");
    assertThat(code).isEqualTo(2);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "check                    | whom? Give a key, such as user:42, or --attr user=42",
        "chek user:7              | Did you mean: headgate check?",
        "check user:7 --cst 3     | Unknown options: '--cst', '3'",
        "check user:7 --cost x    | Invalid value for option '--cost': 'x' is not a long",
        "check a b                | Unmatched argument at index 2: 'b'",
        "rules                    | rules wants to know what to do: list, show, apply",
        "rules lint               | Missing required parameter: 'FILE'",
        "serve --port x           | Invalid value for option '--port': 'x' is not an int",
        "serve --port 70000       | port must be 0 to 65535, got 70000",
        "serve --host 0.0.0.0     | set one with --admin-token or HEADGATE_ADMIN_TOKEN",
        "serve --host no.invalid  | host 'no.invalid' is not known",
        "serve --store redi://x   | --store: not an address of Redis: it begins with none of these",
        "serve --store redis-cluster://x/0 | a cluster has no databases",
        "serve --store redis-sentinel://x | the name of the primary is missing after '#'",
        "serve --store redis://x --store-prefix a*b | --store-prefix: a key prefix may have",
        "serve --store redis://x --store-timeout 2h | --store-timeout: the deadline of a call",
        "serve --store redis://x --report-every 1h | --report-every: eventual rules can report every",
        "serve --store redis://x --store-ca x.pem | --store-ca is for TLS",
        "serve --store rediss://x --store-ca none.pem | --store-ca can't be read: ",
        "serve --shutdown-grace 5 | '5' is no duration; write a number and a unit",
        "serve --max-keys 0       | a store must keep at least 1 key, got 0",
        "serve --rules none.yaml  | none.yaml",
        "serve --rules-mode file  | --rules-mode file needs a file; name it with --rules",
        "serve --rules-mode both  | Invalid value for option '--rules-mode': 'both' is neither seed nor file",
        "serve --rules-poll 1ms   | --rules-poll must be at least 10ms, got 1ms",
        "serve --database my://x  | --database: not an address of a database: it begins neither",
        "serve --database postgresql://u:p@127.0.0.1:1/x | and there is no copy of its rules in",
        "serve --config none.yaml | none.yaml can't be read",
        "serve --admin-token é    | admin-token must be one or more visible ASCII characters"
      })
  void whatIsMisusedIsExplainedAndExitsWithTwo(String line, String expected) {
    run(line.strip().split(" +", -1));
    assertThat(err).startsWith("headgate: ").contains(expected);
    assertThat(out).isEmpty();
    assertThat(code).isEqualTo(2);
  }

  @Test
  void anAddressThatIsNotUnderstoodIsNotShownSinceItMayHoldAPassword() {
    for (var address : new String[] {"redi://u:s3cret@x", "redis-sentinel://s3cret@x", "s3cret"}) {
      run("serve", "--store", address);
      assertThat(err).startsWith("headgate: --store: ").contains("redis://[user:password@]host");
      assertThat(err + out).doesNotContain("s3cret");
      assertThat(code).isEqualTo(2);
    }
  }

  @Test
  void thePasswordOfADatabaseIsNotShown() {
    for (var address : new String[] {"my://u:s3cret@x", "postgresql://u:s3cret@127.0.0.1:1/x"}) {
      run("serve", "--database", address);
      assertThat(err).startsWith("headgate: ");
      assertThat(err + out).doesNotContain("s3cret");
      assertThat(code).isEqualTo(2);
    }
  }

  @Test
  void aFileWithoutCertificatesIsRefusedBeforeAnythingStarts() throws IOException {
    Files.writeString(folder.resolve("ca.pem"), "not a certificate");
    run("serve", "--store", "rediss://127.0.0.1:1", "--store-ca", "ca.pem");
    assertThat(err).startsWith("headgate: --store-ca: ").contains("ca.pem");
    assertThat(code).isEqualTo(2);
  }

  @Test
  void whereStatesAreKeptIsReadFromTheEnvironmentAndTheFileToo() throws IOException {
    environment.put("HEADGATE_STORE", "redis-cluster://x/0");
    run("serve");
    assertThat(err).contains("a cluster has no databases");
    environment.remove("HEADGATE_STORE");
    Files.writeString(
        folder.resolve("headgate.yaml"), "store: redis://127.0.0.1:1\nstore-timeout: 2h\n");
    run("serve");
    assertThat(err).contains("--store-timeout: the deadline of a call must be 1 ms to 1 min");
  }

  @Test
  void aPortThatIsTakenIsSaidToBeSo() {
    run("serve", "--port", Integer.toString(service.port()));
    assertThat(err)
        .startsWith("headgate: can't listen on 127.0.0.1 port " + service.port())
        .contains("choose another with --host and --port");
    assertThat(code).isEqualTo(2);
  }

  @Test
  void rulesThatAreNotValidKeepTheServiceFromStarting() throws IOException {
    Files.writeString(folder.resolve("bad.yaml"), "rules:\n  - id: a\n    limmit: 7\n");
    run("serve", "--rules", "bad.yaml");
    assertThat(err).startsWith("headgate: the rules are not valid:\n").contains("bad.yaml:3:");
    assertThat(code).isEqualTo(2);
  }

  @Test
  void theEnvironmentAndTheFileSetOptionsAndFlagsWin() throws IOException {
    Files.writeString(folder.resolve("headgate.yaml"), "# mine\nport: 70001\nhost: 127.0.0.1\n");
    run("serve");
    assertThat(err).contains("port must be 0 to 65535, got 70001");
    environment.put("HEADGATE_PORT", "70002");
    run("serve");
    assertThat(err).contains("got 70002");
    run("serve", "--port", "70003");
    assertThat(err).contains("got 70003");
    Files.writeString(folder.resolve("other.yaml"), "max-keys: 0\nport: 0");
    environment.remove("HEADGATE_PORT");
    run("serve", "--config", "other.yaml");
    assertThat(err).contains("a store must keep at least 1 key, got 0");
  }

  @Test
  void aBadValueIsToldWithWhereItComesFrom() throws IOException {
    environment.put("HEADGATE_PORT", "many");
    run("serve");
    assertThat(err).contains("'many' is not an int (from HEADGATE_PORT)");
    environment.clear();
    Files.writeString(folder.resolve("headgate.yaml"), "max-keys: lots");
    run("serve");
    assertThat(err).contains("'lots' is not an int (from max-keys in ").contains("headgate.yaml)");
    run("serve", "--max-keys", "few");
    assertThat(err).contains("'few' is not an int\n");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "prot: 8080          | 'prot' is not known; allowed: admin-token, body-timeout, caller-attributes",
        "port: [1, 2]        | port must be one value, got [1, 2]",
        "- port              | must be a map such as port: 8080",
        "port: 8080: 8081    | is not valid YAML",
        "{port: 1, port: 2}| is not valid YAML"
      })
  void aFileOfOptionsThatIsNotRightIsRefused(String text, String expected) throws IOException {
    Files.writeString(folder.resolve("headgate.yaml"), text.strip());
    run("serve");
    assertThat(err).startsWith("headgate: ").contains("headgate.yaml").contains(expected);
    assertThat(code).isEqualTo(2);
  }

  @Test
  void helpListsEveryOptionWithItsDefaultAndNoSecret() {
    environment.put("HEADGATE_ADMIN_TOKEN", "s3cret");
    run("serve", "--help");
    assertThat(out)
        .contains("--port", "8080", "--host", "127.0.0.1", "--rules", "--store", "memory")
        .contains("--max-keys", "1000000", "--admin-token", "--check-token", "--shutdown-grace")
        .contains("10s", "--config", "HEADGATE_ADMIN_TOKEN")
        .contains("--rules-mode", "seed", "--rules-poll", "--database", "h2:", "postgresql://")
        .contains("--data", "./headgate-data")
        .contains(
            "redis://", "--store-prefix", "headgate:", "--store-timeout", "50ms", "--store-ca")
        .doesNotContain("s3cret");
    assertThat(code).isEqualTo(0);
    run("--help");
    assertThat(out).contains("serve", "check", "explain", "rules");
  }

  @Test
  void lintingGoodRulesCountsThem() throws IOException {
    Files.writeString(folder.resolve("rules.yaml"), RULES);
    run("rules", "lint", "rules.yaml");
    assertThat(out).isEqualTo("rules.yaml: 5 rules, no problems\n");
    assertThat(code).isEqualTo(0);
  }

  @Test
  void lintingBadRulesShowsEveryProblemInItsPlace() throws IOException {
    Files.writeString(folder.resolve("good.yaml"), RULES);
    Files.writeString(
        folder.resolve("bad.yaml"),
        """
        rules:
          - id: per-user
            match: { key: "user:*" }
            limit: { algorithm: token-buckt, rate: 100/1m }
          - id: other
            limit: { algorithm: fixed-window, rate: -1/1m }
        """);
    run("rules", "lint", "good.yaml", "bad.yaml");
    assertThat(out.lines())
        .anyMatch("good.yaml: 5 rules, no problems"::equals)
        .anyMatch(line -> line.startsWith("bad.yaml:4:") && line.contains("token-bucket"))
        .anyMatch(line -> line.startsWith("bad.yaml:6:"));
    assertThat(code).isEqualTo(1);
  }

  @Test
  void lintingWhatIsNotThereExitsWithTwo() {
    run("rules", "lint", "none.yaml");
    assertThat(err).isEqualTo("headgate: none.yaml: there is no such file\n");
    assertThat(code).isEqualTo(2);
    run("rules", "lint", ".");
    assertThat(err).startsWith("headgate: . can't be read: ");
    assertThat(code).isEqualTo(2);
  }

  @Test
  void theExamplePassesItsOwnLint() throws IOException {
    run("rules", "example");
    Files.writeString(folder.resolve("example.yaml"), out);
    run("rules", "lint", "example.yaml");
    assertThat(out).isEqualTo("example.yaml: 6 rules, no problems\n");
  }
}
