package io.headgate.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.RateLimiter;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rulefile.RuleFile;
import io.headgate.server.Service;
import io.headgate.server.Settings;
import io.headgate.server.http.Access;
import io.headgate.server.rules.RuleBookInMemory;
import io.headgate.server.rules.Signature;
import io.headgate.store.MemoryStore;
import io.headgate.store.Ticker;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The commands that look at and change the rules of a service, against a real one. */
class RulesCommandTest {
  private static final String RULES =
      """
      rules:
        - id: per-user
          description: Everybody's share.
          match: { key: "user:*" }
          limit: { algorithm: token-bucket, rate: 100/1m, burst: 200 }
          overrides:
            - { match: { key: "user:42" }, limit: { algorithm: fixed-window, rate: 5/1h } }
        - id: contract
          match: { tenant: [acme, "b*"], path: /x }
          limits:
            - { name: calls, algorithm: fixed-window, rate: 10/1h }
            - { name: bytes, algorithm: fixed-window, rate: 1000/1h, cost: bytes }
        - id: team/jobs
          mode: shadow
          fallback: true
          limit: { algorithm: concurrency, max: 2 }
      """;

  @TempDir Path folder;

  private final Map<String, String> environment = new HashMap<>();
  private final Queue<String> typed = new ArrayDeque<>();
  private final RateLimiter limiter =
      RateLimiter.with(MemoryStore.create(() -> 0, 1_000), RuleSet.of(RuleFile.read(RULES)));
  private final RuleBookInMemory book = RuleBookInMemory.of(limiter.rules());
  private Service service;
  private Optional<Integer> terminal = Optional.empty();
  private Runnable whileAsked = () -> {};
  private int code;
  private String out = "";
  private String err = "";

  @BeforeEach
  void start() throws Exception {
    book.follow(edition -> limiter.replaceRules(edition.rules()));
    serve(Access.OPEN);
  }

  private void serve(Access access) throws Exception {
    var settings = new Settings("127.0.0.1", 0, access, Duration.ofMinutes(1), Duration.ZERO, 1);
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
            terminal.isPresent(),
            terminal.map(width -> new Surroundings.Person(width, this::answer)));
    code = Main.run(around, args);
    out = written.toString().replace("\r\n", "\n");
    err = complained.toString().replace("\r\n", "\n");
  }

  private Optional<String> answer() {
    whileAsked.run();
    return Optional.ofNullable(typed.poll());
  }

  private void write(String text) {
    try {
      Files.writeString(folder.resolve("rules.yaml"), text);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static String withoutColours(String text) {
    return text.replaceAll("\033\\[\\d*m", "");
  }

  @Test
  void rulesAreListedAsATable() {
    run("rules", "list");
    assertThat(out)
        .isEqualTo(
            """
            ID         MODE              MATCH                   PER     LIMIT                                      OVERRIDES
            per-user   enforce           key=user:*              key     token-bucket 100/1m                        1
            contract   enforce           tenant=acme|b* path=/x  tenant  fixed-window 10/1h and fixed-window 1k/1h
            team/jobs  shadow, fallback  everything              all     concurrency 2
            """);
    assertThat(code).isEqualTo(0);
  }

  @Test
  void aTableFitsTheTerminal() {
    terminal = Optional.of(60);
    run("rules", "list", "--search", "SHARE");
    assertThat(withoutColours(out).lines()).hasSize(2).allMatch(line -> line.length() <= 60);
    run("rules", "list");
    assertThat(withoutColours(out).lines()).allMatch(line -> line.length() <= 60);
    assertThat(out).contains("…");
  }

  @Test
  void rulesAreFoundByTheirWords() {
    run("rules", "list", "--search", "share");
    assertThat(out).contains("per-user").doesNotContain("contract");
    run("rules", "list", "--search", "nothing of it");
    assertThat(out).isEqualTo("There are no such rules.\n");
    run("rules", "list", "--json");
    assertThat(RuleFile.read(out)).isEqualTo(RuleFile.read(RULES));
  }

  @Test
  void thousandsOfRulesAreListed() {
    var many =
        IntStream.range(0, 3_000)
            .mapToObj(i ->
                Rule.named("r" + i)
                    .limit(book.inForce().rules().rules().getLast().limits().getFirst())
                    .build())
            .toList();
    write(RuleFile.yaml(many));
    run("rules", "apply", "rules.yaml");
    assertThat(out)
        .contains("… and 2003 more\n")
        .endsWith("Revision 2 is in force: 3000 added, 3 removed.\n");
    run("rules", "list");
    assertThat(out.lines()).hasSize(3_001);
  }

  @Test
  void oneRuleIsShownAsAFileHasIt() {
    run("rules", "show", "team/jobs");
    assertThat(RuleFile.read(out)).containsExactly(RuleFile.read(RULES).getLast());
    run("rules", "show", "team/jobs", "--json");
    assertThat(out).startsWith("{\"id\":\"team/jobs\"");
    run("rules", "show", "nobody");
    assertThat(err)
        .isEqualTo(
            "headgate: the service says 404: there is no rule 'nobody'; GET /v1/rules lists them\n");
    assertThat(code).isEqualTo(2);
  }

  @Test
  void applyingAFileShowsTheDiffAndPutsItInForce() {
    write(RULES.replace("100/1m", "150/1m").replaceFirst("(?s)  - id: team/jobs.*", ""));
    run("rules", "apply", "rules.yaml", "--message", "more for all: 50 %", "--author", "Jörg");
    assertThat(out)
        .isEqualTo(
            """
            ~ per-user
                limit.rate: 100/1m → 150/1m
            - team/jobs
                limit.algorithm: concurrency
                limit.max: 2
                fallback: true
                mode: shadow
            Revision 2 is in force: 1 changed, 1 removed.
            """);
    assertThat(err).isEmpty();
    assertThat(code).isEqualTo(0);
    assertThat(limiter.rules().rules()).hasSize(2);
    var signature = book.inForce().revision().signature();
    assertThat(signature.author()).isEqualTo("Jörg");
    assertThat(signature.message()).isEqualTo("more for all: 50 %");
    run("rules", "apply", "rules.yaml");
    assertThat(out).isEqualTo("Nothing to change: the rules of revision 2 stay.\n");
    assertThat(code).isEqualTo(0);
  }

  @Test
  void theAuthorIsTheUserUnlessSaidOtherwise() {
    run("rules", "delete", "contract");
    assertThat(book.inForce().revision().signature().author())
        .isEqualTo(System.getProperty("user.name"));
  }

  @Test
  void aDryRunSaysWhatWouldBeAndForWhom() {
    run("check", "user:7");
    run("check", "user:42");
    write(RULES.replace("100/1m", "150/1m"));
    run("rules", "apply", "rules.yaml", "--dry-run");
    assertThat(out)
        .isEqualTo(
            """
            ~ per-user
                limit.rate: 100/1m → 150/1m
            Dry run, nothing was changed. Against revision 1: 1 changed.
            Of a sample of 2 recent callers 1 would be affected:
              key=user:7
                per-user limit.rate: 100/1m → 150/1m
            """);
    run("rules", "delete", "per-user", "--dry-run");
    assertThat(out)
        .contains(
            "Of a sample of 2 recent callers 2 would be affected:", "per-user no longer applies: ");
    assertThat(book.inForce().number()).isEqualTo(1);
    assertThat(code).isEqualTo(0);
  }

  @Test
  void aFileThatIsNotValidIsRefusedAsLintWould() {
    write(RULES.replace("token-bucket", "token-buket").replace("10/1h", "x"));
    run("rules", "lint", "rules.yaml");
    String linted = out;
    run("rules", "apply", "rules.yaml");
    assertThat(out).isEqualTo(linted);
    assertThat(err).isEqualTo("headgate: nothing was changed: the rules are not valid\n");
    assertThat(code).isEqualTo(1);
    run("rules", "apply", "rules.yaml", "--json");
    assertThat(out).contains("\"problems\":[");
    assertThat(code).isEqualTo(1);
  }

  @Test
  void aRevisionThatIsNoLongerTheNewestIsRefused() {
    write(RULES.replace("100/1m", "150/1m"));
    run("rules", "delete", "contract");
    run("rules", "apply", "rules.yaml", "--if-revision", "1");
    assertThat(err)
        .isEqualTo(
            "headgate: nothing was changed: the rules are at revision 2, not 1 any more; look at them again\n");
    assertThat(code).isEqualTo(1);
    run("rules", "apply", "rules.yaml", "--if-revision", "2");
    assertThat(code).isEqualTo(0);
  }

  @Test
  void onATerminalOneIsAskedBeforeRulesAreRemoved() {
    terminal = Optional.of(100);
    write("rules: []");
    typed.add("n");
    run("rules", "apply", "rules.yaml", "--color=never");
    assertThat(out)
        .contains("- contract\n", "3 rules will be removed. Go ahead? [y/N] ")
        .endsWith("Nothing was changed.\n");
    assertThat(code).isEqualTo(1);
    assertThat(book.inForce().number()).isEqualTo(1);
    run("rules", "apply", "rules.yaml");
    assertThat(code).as("who says nothing does not agree").isEqualTo(1);
    typed.add("y");
    run("rules", "apply", "rules.yaml");
    assertThat(code).isEqualTo(0);
    assertThat(limiter.rules().rules()).isEmpty();
    write(RULES);
    run("rules", "apply", "rules.yaml");
    assertThat(code).as("adding asks nobody").isEqualTo(0);
    run("rules", "delete", "contract", "--yes");
    assertThat(code).isEqualTo(0);
    assertThat(typed).isEmpty();
  }

  @Test
  void whatWasShownIsWhatIsDone() {
    terminal = Optional.of(100);
    write("rules: []");
    typed.add("y");
    var somebody = new Signature("somebody else", "");
    whileAsked =
        () -> {
          var unused = book.change(OptionalLong.empty(), somebody, rules -> rules.subList(0, 1));
        };
    run("rules", "apply", "rules.yaml");
    assertThat(err).contains("the rules are at revision 2, not 1 any more");
    assertThat(code).isEqualTo(1);
    assertThat(limiter.rules().rules()).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"auto", "always", "never"})
  void coloursAreThereWhereTheyAreSeenOrWanted(String when) {
    run("rules", "diff", "1", "--color", when);
    assertThat(out.contains("\033[32m+ per-user")).isEqualTo(when.equals("always"));
    terminal = Optional.of(100);
    run("rules", "diff", "1", "--color", when);
    assertThat(out.contains("\033[32m+ per-user")).isEqualTo(!when.equals("never"));
    environment.put("NO_COLOR", "1");
    run("rules", "diff", "1", "--color", when);
    assertThat(out.contains("\033[32m+ per-user")).isEqualTo(when.equals("always"));
  }

  @Test
  void historyDiffAndRestoreTellAndUndo() {
    write(RULES.replace("100/1m", "150/1m"));
    run("rules", "apply", "rules.yaml", "--message", "more", "--author", "ada");
    run("rules", "delete", "contract", "--author", "bob");
    run("rules", "restore", "1", "--author", "eve", "--message", "too much");
    assertThat(out)
        .startsWith("~ per-user\n    limit.rate: 150/1m → 100/1m\n+ contract\n")
        .endsWith("Revision 4 is in force: 1 added, 1 changed.\n");
    run("rules", "history");
    assertThat(
            out.replaceAll("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ", "(at)                ")
                .lines())
        .containsExactly(
            "REVISION  WHEN                  AUTHOR    CHANGES             RULES  MESSAGE",
            "4         (at)                  eve       1 added, 1 changed  3      restores 1: too much",
            "3         (at)                  bob       1 removed           2",
            "2         (at)                  ada       1 changed           3      more",
            "1         (at)                  headgate  3 added             3");
    run("rules", "history", "--limit", "1");
    assertThat(out.lines()).hasSize(3).anyMatch(line -> line.contains("see --limit"));
    run("rules", "diff", "2");
    assertThat(out).isEqualTo("~ per-user\n    limit.rate: 100/1m → 150/1m\n");
    run("rules", "diff", "3", "1");
    assertThat(out).contains("150/1m → 100/1m", "+ contract");
    run("rules", "diff", "1", "4");
    assertThat(out).isEqualTo("No difference.\n");
    run("rules", "restore", "9");
    assertThat(err).contains("there is no revision 9; there are 1 to 4");
    assertThat(code).isEqualTo(1);
  }

  @Test
  void whatIsExportedIsTakenBackUnchanged() {
    run("rules", "export");
    write(out);
    assertThat(RuleFile.read(out)).isEqualTo(RuleFile.read(RULES));
    run("rules", "apply", "rules.yaml");
    assertThat(out).startsWith("Nothing to change");
    run("rules", "delete", "contract");
    run("rules", "export", "--revision", "1");
    assertThat(RuleFile.read(out)).isEqualTo(RuleFile.read(RULES));
    run("rules", "export", "--json");
    assertThat(RuleFile.read(out)).hasSize(2);
  }

  @Test
  void whoMayNotOrCanNotBeAskedIsAnError() throws Exception {
    service.close();
    serve(new Access(Optional.of("s3cret"), Optional.empty()));
    run("rules", "delete", "contract");
    assertThat(err).startsWith("headgate: the service says 401: a token is needed");
    assertThat(code).isEqualTo(2);
    run("rules", "delete", "contract", "--token", "s3cret");
    assertThat(code).isEqualTo(0);
    run("rules", "list", "--url", "http://127.0.0.1:1");
    assertThat(err).startsWith("headgate: no service answers at http://127.0.0.1:1");
    assertThat(code).isEqualTo(2);
    run("rules", "apply", "none.yaml");
    assertThat(err).isEqualTo("headgate: none.yaml: there is no such file\n");
    assertThat(code).isEqualTo(2);
  }

  @Test
  void wordsOfOthersDoNotMoveTheCursor() {
    assertThat(Printable.of("a\033[2Jb\u202ec")).isEqualTo("a\\u001b[2Jb\\u202ec");
    assertThat(Printable.of("Jörg ✓")).isEqualTo("Jörg ✓");
  }
}
