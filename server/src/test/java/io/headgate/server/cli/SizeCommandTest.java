package io.headgate.server.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Percentage.withPercentage;

import io.headgate.server.cli.output.JsonReply;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the size command. */
class SizeCommandTest extends Shell {
  private static final String RULES =
      """
      rules:
        - id: per-user
          match: { key: "user:*" }
          limit: { algorithm: token-bucket, rate: 100/1m }
        - id: login
          match: { path: /login, ip: "*" }
          limit: { algorithm: rolling-window, rate: 50/5m }
        - id: total
          match: { key: "*" }
          per: []
          limit: { algorithm: fixed-window, rate: 1M/1s }
        - id: blocked
          match: { key: "user:13" }
          limit: deny
      """;

  private static final String SEVERAL =
      """
      rules:
        - id: contract
          match: { key: "user:*" }
          limits:
            - { name: burst, algorithm: token-bucket, rate: 100/1s }
            - { name: day, algorithm: fixed-window, rate: 10k/1d }
            - { name: recent, algorithm: rolling-window, rate: 10/1m }
            - { name: parallel, algorithm: concurrency, max: 10 }
            - { name: by-path, algorithm: sliding-window, rate: 100/1m, per: [key, path] }
          overrides:
            - { match: { path: /slow }, limits: [{ name: burst, algorithm: token-bucket, rate: 1/1s }] }
        - id: per-user
          match: { key: "user:*" }
          limit: { algorithm: token-bucket, rate: 100/1m }
      """;

  @BeforeEach
  void writeRules() throws IOException {
    Files.writeString(folder.resolve("rules.yaml"), RULES);
  }

  @Test
  void everyCallerHasAKeyUnderEachLimitThatIsNotShared() {
    var result = size("--callers", "5M");
    var limits = result.at("limits").items();
    assertThat(limits.stream().map(limit -> limit.at("limit").text()))
        .containsExactlyInAnyOrder("per-user", "login", "total");
    for (var limit : limits) {
      assertThat(limit.at("keys").number())
          .isEqualTo(limit.at("limit").text().equals("total") ? 1 : 5_000_000);
    }
    assertThat(result.at("keys").number()).isEqualTo(10_000_001);
  }

  @Test
  void callersOfOneRuleReplaceThoseOfAll() {
    var result = size("--callers", "5M", "--callers-of", "login=20k");
    assertThat(result.at("keys").number()).isEqualTo(5_020_001);
    run("size", "--callers", "5M", "--rules", "rules.yaml", "--callers-of", "logn=1");
    assertThat(err)
        .isEqualTo(
            "headgate: --callers-of: there is no rule or limit 'logn'; there are: blocked, login,"
                + " per-user, total\n");
    assertThat(code).isEqualTo(2);
  }

  @Test
  void bytesAreTheSumOfTheLimits() {
    var result = size("--callers", "1k");
    long sum = 0;
    for (var limit : result.at("limits").items()) sum += limit.at("bytes").number();
    assertThat(result.at("bytes").number()).isBetween(sum - 3, sum + 3);
    assertThat(result.at("heapBytes").number()).isGreaterThan(2 * sum);
  }

  @Test
  void countersOfOneRuleAndSubjectShareAKeyInTheLayoutCompact() throws IOException {
    Files.writeString(folder.resolve("rules.yaml"), SEVERAL);
    var separate = size("--callers", "1k", "--store", "redis", "--rate", "1k");
    var compact =
        size("--callers", "1k", "--store", "redis", "--rate", "1k", "--store-layout", "compact");
    assertThat(separate.at("layout").text()).isEqualTo("separate");
    assertThat(separate.at("keys").number()).isEqualTo(7_000);
    assertThat(compact.at("layout").text()).isEqualTo("compact");
    assertThat(compact.at("limits").items().stream().map(limit -> limit.at("limit").text()))
        .containsExactlyInAnyOrder(
            "contract/burst,day,recent", "contract/by-path", "contract/parallel", "per-user");
    assertThat(compact.at("keys").number()).isEqualTo(4_000);
    assertThat(compact.at("bytes").number()).isLessThan(separate.at("bytes").number());
    for (var more : new String[] {"microsPerCheck", "networkBytesPerSecond"}) {
      assertThat(compact.at("redis").at(more).decimal())
          .as(more)
          .isGreaterThan(separate.at("redis").at(more).decimal());
    }
    assertThat(compact.at("commands").items().getLast().text())
        .endsWith("--store redis://HOST:6379 --store-layout compact");
  }

  @Test
  void sharedKeysOfFewerCallersHaveTheirStates() throws IOException {
    Files.writeString(folder.resolve("rules.yaml"), SEVERAL);
    long none = compactBytes("--callers-of", "contract/recent=1");
    long half = compactBytes("--callers-of", "contract/recent=500");
    long all = compactBytes();
    assertThat((double) half).isCloseTo((none + all) / 2.0, withPercentage(1));
    assertThat(all).isGreaterThan(none + 100 * 1_000);
  }

  private long compactBytes(String... options) {
    var all = new ArrayList<>(List.of("--callers", "1k", "--store", "redis"));
    all.addAll(List.of("--store-layout", "compact"));
    all.addAll(List.of(options));
    return size(all.toArray(String[]::new)).at("bytes").number();
  }

  @Test
  void layoutWithoutSharedKeysIsThatOfSeparateKeys() {
    assertThat(size("--callers", "1k", "--store", "redis").at("keys").number())
        .isEqualTo(
            size("--callers", "1k", "--store", "redis", "--store-layout", "compact")
                .at("keys")
                .number());
  }

  @Test
  void layoutOfTheEnvironmentIsSized() {
    environment.put("HEADGATE_STORE", "redis://10.0.0.5:6379");
    environment.put("HEADGATE_STORE_LAYOUT", "compact");
    run("size", "--callers", "5M", "--rules", "rules.yaml");
    assertThat(out).contains("--store-layout compact");
    assertThat(code).isZero();
  }

  @Test
  void layoutCompactIsForRedis() {
    for (var store : new String[] {"memory", "cluster"}) {
      run(
          "size",
          "--callers",
          "1",
          "--rules",
          "rules.yaml",
          "--store",
          store,
          "--store-layout",
          "compact");
      assertThat(err)
          .isEqualTo(
              "headgate: --store-layout compact is for counters in Redis; set --store redis://… or"
                  + " omit it\n");
      assertThat(code).isEqualTo(2);
    }
  }

  @Test
  void rollingWindowGrowsWithItsUse() {
    long full = size("--callers", "1k").at("bytes").number();
    long half = size("--callers", "1k", "--used", "50").at("bytes").number();
    assertThat(half).isLessThan(full);
  }

  @Test
  void longerKeysTakeMoreMemory() {
    for (var store : new String[] {"memory", "redis", "cluster"}) {
      long brief = size("--callers", "1k", "--store", store).at("bytes").number();
      long extended =
          size("--callers", "1k", "--store", store, "--key-length", "64").at("bytes").number();
      assertThat(extended).as(store).isGreaterThanOrEqualTo(brief + 2 * 48 * 1_000L);
    }
  }

  @Test
  void rateDecidesHowManyServersRedisNeeds() {
    var slow = size("--callers", "1M", "--store", "redis", "--rate", "1k", "--instances", "3");
    assertThat(slow.at("redis").at("primaries").number()).isEqualTo(1);
    assertThat(slow.at("redis").at("connections").number()).isEqualTo(6);
    assertThat(slow.at("commands").items().getFirst().text())
        .matches("redis-server --maxmemory \\d+mb --maxmemory-policy noeviction");
    var fast = size("--callers", "1M", "--store", "redis", "--rate", "1M");
    var primaries = fast.at("redis").at("primaries").number();
    assertThat(primaries).isGreaterThan(3);
    assertThat(fast.at("commands").items().getFirst().text())
        .endsWith("--cluster-enabled yes  # each of %d primaries".formatted(primaries));
    assertThat(fast.at("redis").at("connections").isPresent()).isFalse();
    assertThat(fast.at("commands").items().getLast().text()).endsWith("redis-cluster://HOST:6379");
    assertThat(fast.at("notes").items().getFirst().text()).contains("Redis Cluster");
  }

  @Test
  void rulesForDifferentValuesExcludeEachOther() throws IOException {
    var many = new StringBuilder("rules:\n");
    for (int i = 0; i < 100; i++) {
      many.append(
          """
            - id: path-%d
              match: { path: /p%d, ip: "*" }
              limit: { algorithm: token-bucket, rate: 100/1m }
          """
              .formatted(i, i));
    }
    Files.writeString(folder.resolve("rules.yaml"), many);
    var result = size("--callers", "10", "--store", "redis", "--rate", "1k");
    assertThat(result.at("redis").at("primaries").number()).isEqualTo(1);
    assertThat(result.at("keys").number()).isEqualTo(1_000);
    var all = result.at("redis").at("microsPerCheck");
    Files.writeString(
        folder.resolve("rules.yaml"), many.substring(0, many.indexOf("  - id: path-1\n")));
    var one = size("--callers", "10", "--store", "redis").at("redis").at("microsPerCheck");
    assertThat(all).isInstanceOf(JsonReply.Fraction.class).isEqualTo(one);
  }

  @Test
  void clusterDividesCountersAmongItsMembers() {
    long three =
        size("--callers", "5M", "--store", "cluster", "--instances", "3").at("heapBytes").number();
    long six =
        size("--callers", "5M", "--store", "cluster", "--instances", "6").at("heapBytes").number();
    assertThat(six).isLessThan(three);
    run("size", "--callers", "900M", "--rules", "rules.yaml", "--store", "cluster");
    assertThat(out).contains("use at least", "--store cluster --join");
  }

  @Test
  void storeOfTheEnvironmentIsSized() {
    environment.put("HEADGATE_STORE", "redis://10.0.0.5:6379");
    environment.put("HEADGATE_RULES", "rules.yaml");
    run("size", "--callers", "5M");
    assertThat(out).contains("redis-server --maxmemory");
    assertThat(code).isZero();
  }

  @Test
  void tableHasTheLimitsTotalsAndCommands() {
    run("size", "--callers", "5M", "--rules", "rules.yaml", "--rate", "50000", "--instances", "3");
    assertThat(out)
        .containsPattern("LIMIT +ALGORITHM +KEYS +BYTES A KEY +MEMORY")
        .containsPattern("per-user +token-bucket +5,000,000 +\\d+ +\\d+ MB")
        .containsPattern("counters +10,000,001 keys, [\\d,]+ MB")
        .containsPattern("instances +3, each with \\d+ MiB of heap and [\\d.]+ cores busy")
        .containsPattern(
            "HEADGATE_JAVA_OPTS=-Xmx\\d+m ./headgate serve --rules rules.yaml --max-keys 12500002");
    assertThat(err).isEmpty();
    assertThat(code).isZero();
  }

  @Test
  void printedCommandsHaveOptionsOfServe() {
    run("serve", "--help");
    String help = out;
    for (var store : new String[] {"memory", "redis", "cluster"}) {
      for (var command : size("--callers", "1k", "--store", store).at("commands").items()) {
        if (!command.text().contains("headgate serve")) continue;
        for (var word : command.text().split(" ", -1)) {
          if (word.startsWith("--")) assertThat(help).contains(word);
        }
      }
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "--callers|many|'many' is not a whole number; use digits with k, M or G",
        "--callers|1.5|'1.5' is not a whole number",
        "--callers|0|--callers must be 1 to 1000000000000, got 0",
        "--callers|5000G|'5000G' is too large; at most 1,000,000,000,000",
        "--callers|-5|-5",
        "--store|disk|--store must be memory, redis or cluster, or the address of a Redis, got"
            + " 'disk'",
        "--store-layout|dense|'dense' is not valid; use separate or compact",
        "--store-layout|COMPACT|'COMPACT' is not valid; use separate or compact",
        "--instances|0|--instances must be 1 to 1000, got 0",
        "--used|101|--used must be 1 to 100, got 101",
        "--key-length|0|--key-length must be 1 to 1000, got 0",
        "--callers-of|login=x|--callers-of login: 'x' is not a whole number",
        "--rules|none.yaml|none.yaml: there is no such file",
      })
  void wrongValueIsNamedWithWhatIsAllowed(String option, String value, String message) {
    if (option.equals("--rules")) run("size", "--callers", "1", option, value);
    else if (option.equals("--callers")) run("size", "--rules", "rules.yaml", option, value);
    else run("size", "--rules", "rules.yaml", "--callers", "1", option, value);
    assertThat(err).startsWith("headgate: ").contains(message);
    assertThat(out).isEmpty();
    assertThat(code).isEqualTo(2);
  }

  @Test
  void invalidRulesExitWithOne() throws IOException {
    Files.writeString(folder.resolve("rules.yaml"), "rules: [{ id: a }]");
    run("size", "--callers", "1", "--rules", "rules.yaml");
    assertThat(err).startsWith("rules.yaml:1:");
    assertThat(code).isEqualTo(1);
  }

  @Test
  void commandIsInHelpAndCompletion() {
    run("help", "size");
    assertThat(out)
        .contains(
            "--callers=N", "--store=WHERE", "--store-layout=LAYOUT", "--rate=N", "--instances=N");
    run("--help");
    assertThat(out).containsPattern("\n +size +Computes");
    for (var shell : new String[] {"bash", "zsh", "fish"}) {
      run("completion", shell);
      assertThat(out).as(shell).contains("size", "callers-of", "key-length");
    }
  }

  private JsonReply size(String... options) {
    var args = new String[options.length + 4];
    args[0] = "size";
    args[1] = "--rules";
    args[2] = "rules.yaml";
    args[3] = "--json";
    System.arraycopy(options, 0, args, 4, options.length);
    run(args);
    assertThat(err).isEmpty();
    assertThat(code).isZero();
    try {
      return JsonReply.read(out);
    } catch (IOException e) {
      throw new UncheckedIOException(out, e);
    }
  }
}
