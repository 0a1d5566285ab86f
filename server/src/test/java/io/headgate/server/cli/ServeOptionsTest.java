package io.headgate.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.server.cli.options.Configuration;
import io.headgate.server.http.LogCapture;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests that invalid commands and options are reported before anything starts. */
class ServeOptionsTest extends Shell {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "check                    | no subject; give a key, such as user:42, or --attr user=42",
        "chek user:7              | Did you mean: headgate check",
        "check user:7 --cst 3     | Unknown options: '--cst', '3'",
        "check user:7 --cost x    | Invalid value for option '--cost': 'x' is not a long",
        "check a --timeout 0s     | --timeout must be at least 1ms",
        "block user:7             | Missing required option: '--reason=TEXT'",
        "block --reason x         | no subject; give a key",
        "block a --reason x --for 0s | --for must be 1s to 3650d",
        "block --attr ip=x --reason y | 'x' is neither an IP address nor a block",
        "reset user:7             | Missing required option: '--rule=ID'",
        "slots                    | slots needs a subcommand: acquire, renew, release",
        "slots renew              | Missing required parameter: 'ID'",
        "callers --sort x         | expected one of [denied, allowed, rate, burst]",
        "check a b                | Unmatched argument at index 2: 'b'",
        "rules                    | rules needs a subcommand: list, show, apply",
        "rules lint               | Missing required parameter: 'FILE'",
        "serve --port x           | Invalid value for option '--port': 'x' is not an int",
        "serve --port 70000       | port must be 0 to 65535, got 70000",
        "serve --host 0.0.0.0     | set one with --admin-token or HEADGATE_ADMIN_TOKEN",
        "serve --host no.invalid  | cannot resolve host 'no.invalid'",
        "serve --store redi://x   | --store: invalid Redis address: unknown scheme; expected redis:",
        "serve --store redis://x:70000 | --store: invalid Redis address: a port must be 1 to 65535",
        "serve --store redis://x:0 | --store: invalid Redis address: a port must be 1 to 65535",
        "serve --store redis://x:63x79 | the port is not a number",
        "serve --host 0.0.0.0 --admin-token 123456789012345 | admin-token has 15 characters and could be guessed",
        "serve --store redis-cluster://x/0 | a cluster has no databases",
        "serve --store redis-sentinel://x | the name of the primary is missing after '#'",
        "serve --store redis://x --store-prefix a*b | --store-prefix: a key prefix may have",
        "serve --store redis://x --store-layout dense | Invalid value for option '--store-layout': 'dense' is not valid; use separate or compact",
        "serve --store-layout compact | --store-layout compact is for counters in Redis; set --store redis://… or omit it",
        "serve --store cluster --join a:1 --store-layout compact | --store-layout compact is for counters in Redis",
        "serve --store redis://x --store-layout compact --region eu --home redis://y | --region: the key layout compact can't be combined with a home of regions",
        "serve --store redis://x --store-timeout 2h | --store-timeout: the deadline of a call",
        "serve --store redis://x --sync-interval 1h | --sync-interval: eventual rules can report every",
        "serve --store redis://x --store-ca x.pem | --store-ca needs TLS",
        "serve --store rediss://x --store-ca none.pem | cannot read --store-ca: ",
        "serve --store cluster    | --store cluster needs --join with the members to look for",
        "serve --store cluster --join a:1 --cluster-cert c.pem | --cluster-ca must be given together",
        "serve --store cluster --join a:1 --cluster-cert c --cluster-key k --cluster-ca a --cluster-secret 0123456789abcdef | with --cluster-secret or with --cluster-cert, not with both",
        "serve --store cluster --join a:1 --cluster-cert none.pem --cluster-key k --cluster-ca a | cannot read the certificate of this member: none.pem",
        "serve --store cluster --join a:1 --cluster-data-port 70000 | --cluster-data-port: a data port of the cluster must be 0 to 65535",
        "serve --store cluster --join a:1 --cluster-data-port 7574 | the port and the data port of a member differ, got 7574 twice",
        "serve --shutdown-grace 5 | '5' is not a duration; use a number and a unit",
        "serve --max-keys 0       | a store must keep at least 1 key, got 0",
        "serve --max-connections 0 | max-connections must be at least 1, got 0",
        "serve --tls-cert x.pem   | --tls-cert and --tls-key must be given together",
        "serve --tls-client-ca x.pem | --tls-client-ca needs TLS",
        "serve --trusted-proxies proxy | --trusted-proxies: 'proxy' is not an address",
        "serve --client-ip-from Via | --client-ip-from: 'Via' is not known",
        "serve --token-file missing | cannot read --token-file",
        "serve --rules none.yaml  | none.yaml: there is no such file",
        "serve --rules-mode file  | --rules-mode file needs a file; name it with --rules",
        "serve --rules-mode both  | Invalid value for option '--rules-mode': 'both' is not valid; use seed or file",
        "serve --rules-poll 1ms   | --rules-poll must be at least 10ms, got 1ms",
        "serve --database my://x  | --database: not a database address: it must be h2:PATH or",
        "serve --database postgresql://u:p@127.0.0.1:1/x | and there is no snapshot of its rules in",
        "serve --config none.yaml | none.yaml can't be read: there is no such file",
        "serve --check-token 123456789012345 | check-token has 15 characters and could be guessed; it must have at least 16. Make one with: openssl rand -hex 32",
        "serve --report-every 1s  | option '--report-every' was renamed; use --sync-interval",
        "serve --traces=http://x  | option '--traces' was renamed; use --otlp-endpoint",
        "serve --shutdown-notice 1s --prt 1 | option '--shutdown-notice' was renamed; use --drain-delay",
        "check a --traces http://x | Unknown options: '--traces', 'http://x'",
        "serve --admin-token é    | admin-token must be one or more visible ASCII characters"
      })
  void misuseIsExplainedAndExitsWithTwo(String line, String expected) {
    run(line.strip().split(" +", -1));
    assertThat(err).startsWith("headgate: ").contains(expected);
    assertThat(out).isEmpty();
    assertThat(code).isEqualTo(2);
  }

  @Test
  void renamedOptionInTheEnvironmentIsRejectedUnlessItIsSetByItsNewName() {
    environment.put("HEADGATE_SHUTDOWN_NOTICE", "5s");
    run("serve", "--rules", "none.yaml");
    assertThat(err)
        .isEqualTo("headgate: HEADGATE_SHUTDOWN_NOTICE was renamed; set HEADGATE_DRAIN_DELAY\n");
    assertThat(code).isEqualTo(2);
    run("serve", "--rules", "none.yaml", "--drain-delay", "1s");
    assertThat(err).contains("none.yaml").doesNotContain("renamed");
    environment.put("HEADGATE_DRAIN_DELAY", "1s");
    run("serve", "--rules", "none.yaml");
    assertThat(err).contains("none.yaml").doesNotContain("renamed");
    environment.remove("HEADGATE_DRAIN_DELAY");
    run("rules", "example");
    assertThat(code).isZero();
  }

  @Test
  void misspelledVariableIsReportedWithTheNearestOption() {
    environment.put("HEADGATE_PROT", "8081");
    environment.put("HEADGATE_ADMIN_TOKENS", "s3cret");
    environment.put("HEADGATE_STORE_ADDRESS", "redis://x");
    environment.put("HEADGATE_JAVA_OPTS", "-Xmx1g");
    environment.put("HEADGATE_SERVICE_PORT_HTTP", "8080"); // of Kubernetes
    environment.put("HEADGATE_PORT_8080_TCP_ADDR", "10.0.0.1");
    run("rules", "example");
    assertThat(code).isZero();
    run("rules", "lint", "none.yaml");
    assertThat(err.lines().filter(line -> line.contains("warning")))
        .containsExactly(
            "headgate: warning: the environment variable HEADGATE_ADMIN_TOKENS has no effect; did"
                + " you mean HEADGATE_ADMIN_TOKEN?",
            "headgate: warning: the environment variable HEADGATE_PROT has no effect; did you mean"
                + " HEADGATE_PORT?",
            "headgate: warning: the environment variable HEADGATE_STORE_ADDRESS has no effect;"
                + " headgate serve --help lists the options");
    try (var log = new LogCapture("io.headgate.server.cli.options.Configuration")) {
      run("serve", "--rules", "none.yaml");
      assertThat(log.text()).contains("HEADGATE_PROT has no effect; did you mean HEADGATE_PORT?");
      assertThat(err).doesNotContain("HEADGATE_PROT").contains("none.yaml");
    }
  }

  @Test
  void renamedOptionInTheFileIsRejected() throws Exception {
    Files.writeString(folder.resolve("headgate.yaml"), "report-every: 1s\n");
    run("serve");
    assertThat(err).contains("headgate.yaml: option 'report-every' was renamed; use sync-interval");
    assertThat(code).isEqualTo(2);
  }

  @Test
  void invalidStoreAddressIsNotPrinted() {
    for (var address : new String[] {"redi://u:s3cret@x", "redis-sentinel://s3cret@x", "s3cret"}) {
      run("serve", "--store", address);
      assertThat(err).startsWith("headgate: --store: ").contains("redis://[user:password@]host");
      assertThat(err + out).doesNotContain("s3cret");
      assertThat(code).isEqualTo(2);
    }
  }

  @Test
  void databasePasswordIsNotPrinted() {
    for (var address : new String[] {"my://u:s3cret@x", "postgresql://u:s3cret@127.0.0.1:1/x"}) {
      run("serve", "--database", address);
      assertThat(err).startsWith("headgate: ");
      assertThat(err + out).doesNotContain("s3cret");
      assertThat(code).isEqualTo(2);
    }
  }

  @Test
  void fileWithoutCertificatesIsRejected() throws IOException {
    Files.writeString(folder.resolve("ca.pem"), "not a certificate");
    run("serve", "--store", "rediss://127.0.0.1:1", "--store-ca", "ca.pem");
    assertThat(err).startsWith("headgate: --store-ca: ").contains("ca.pem");
    assertThat(code).isEqualTo(2);
  }

  @Test
  void storeOptionsAreReadFromEnvironmentAndFile() throws IOException {
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
  void portInUseIsReported() throws IOException {
    try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      run("serve", "--port", Integer.toString(taken.getLocalPort()));
      assertThat(err)
          .startsWith("headgate: cannot listen on 127.0.0.1 port " + taken.getLocalPort())
          .contains(" (Address already in use); choose another with --host and --port");
      assertThat(code).isEqualTo(2);
    }
  }

  @Test
  void invalidRulesPreventTheStart() throws IOException {
    Files.writeString(folder.resolve("bad.yaml"), "rules:\n  - id: a\n    limmit: 7\n");
    run("serve", "--rules", "bad.yaml");
    assertThat(err).startsWith("headgate: the rules are not valid:\n").contains("bad.yaml:3:");
    assertThat(code).isEqualTo(2);
  }

  @Test
  void flagsOverrideEnvironmentAndFile() throws IOException {
    Files.writeString(folder.resolve("headgate.yaml"), "# mine\nport: 70001\nhost: 127.0.0.1\n");
    environment.remove("HEADGATE_PORT");
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
  void invalidValueIsReportedWithItsOrigin() throws IOException {
    environment.put("HEADGATE_PORT", "many");
    run("serve");
    assertThat(err).contains("'many' is not an int (from HEADGATE_PORT)");
    environment.remove("HEADGATE_PORT");
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
        "prot: 8080          | unknown option 'prot'; allowed: admin-token, body-timeout, ca, caller-attributes",
        "port: [1, 2]        | port must be one value, got a list",
        "- port              | must be a map such as port: 8080",
        "port: 8080: 8081    | is not valid YAML",
        "{port: 1, port: 2}| is not valid YAML"
      })
  void invalidConfigurationFileIsRejected(String text, String expected) throws IOException {
    Files.writeString(folder.resolve("headgate.yaml"), text.strip());
    run("serve");
    assertThat(err).startsWith("headgate: ").contains("headgate.yaml").contains(expected);
    assertThat(code).isEqualTo(2);
  }

  @Test
  void helpListsEveryOptionWithItsDefaultAndNoSecret() {
    environment.remove("HEADGATE_PORT");
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
  }

  @Test
  void optionsOfServeAreGroupedByTopicWithEssentialsFirst() {
    run("serve", "--help");
    assertThat(out)
        .startsWith("Usage: headgate serve [OPTIONS]\nRuns the service.\n\nEssentials:\n");
    var headings = out.lines().filter(line -> line.matches("[A-Za-z].*:")).toList();
    assertThat(headings)
        .startsWith("Essentials:", "Rules:", "Store of the counters:", "Tokens:")
        .contains("TLS, proxies and connections:", "Starting and stopping:", "Log:");
    String essentials = out.substring(out.indexOf("Essentials:"), out.indexOf("Rules:"));
    assertThat(essentials)
        .contains("--port", "--host", "--store=", "--rules=", "--admin-token", "--check-token")
        .doesNotContain("--store-timeout", "--drain-delay");
  }

  @Test
  void helpOfServeHasEveryOptionOnce() {
    run("serve", "--help");
    var shown =
        out.lines()
            .filter(line -> line.matches(" +(-\\w, )?--[a-z].*"))
            .map(line -> line.replaceFirst("^ +(-\\w, )?(--[a-z-]+).*", "$2"));
    var options =
        new CommandTree(context(), Configuration.of(context(), new String[0]), new ServiceClient())
            .forArguments("serve");
    assertThat(shown)
        .containsExactlyInAnyOrderElementsOf(
            options.getSubcommands().get("serve").getCommandSpec().options().stream()
                .map(option -> option.longestName())
                .toList());
  }

  @Test
  void commandsAreGroupedAndExitCodesDocumented() {
    run("--help");
    var headings = out.lines().filter(line -> line.matches("[A-Z][a-z ]+:")).toList();
    assertThat(headings)
        .containsExactly(
            "Run the service:",
            "See what a running service does:",
            "Handle callers:",
            "Write and change rules:",
            "Help:",
            "Exit codes:");
    assertThat(out)
        .contains("serve", "status", "check", "explain", "callers", "block", "unblock", "blocks")
        .contains("reset", "slots", "rules", "simulate", "help", "completion")
        .containsPattern("\n +0 +Done; the request is allowed")
        .containsPattern("\n +1 +Denied")
        .containsPattern("\n +2 +An error");
    assertThat(code).isZero();
  }

  @Test
  void helpCommandPrintsTheHelpOfACommand() {
    run("serve", "--help");
    String serve = out;
    run("help", "serve");
    assertThat(out).isEqualTo(serve);
    run("help", "rules", "apply");
    assertThat(out).startsWith("Usage: headgate rules apply ");
    assertThat(code).isZero();
    run("--help");
    String all = out;
    run("help");
    assertThat(out).isEqualTo(all);
    run("help", "rules", "aply");
    assertThat(err).startsWith("headgate: there is no command 'rules aply'; commands: list, show");
    assertThat(code).isEqualTo(2);
  }

  @Test
  void completionScriptCompletesCommandsAndOptionsInBash() throws Exception {
    run("completion", "bash");
    Files.writeString(folder.resolve("completion"), out);
    assertThat(completions("ru")).containsExactly("rules");
    assertThat(completions("slots", "a")).containsExactly("acquire");
    assertThat(completions("block", "--rea")).containsExactly("--reason");
    String bash = out;
    run("completion", "zsh");
    assertThat(out).isEqualTo(bash).contains("bashcompinit");
    run("completion", "csh");
    assertThat(err).contains("bash, zsh, fish");
    assertThat(code).isEqualTo(2);
  }

  @Test
  void completionScriptForFishHasCommandsAndOptions() {
    run("completion", "fish");
    assertThat(out.lines())
        .allMatch(line -> line.matches("complete -c headgate -n '[^']*' -.* -d '.*'"))
        .noneMatch(line -> line.contains("-f ") && line.contains("-F"))
        .anyMatch(
            line -> line.contains("not __fish_seen_subcommand_from") && line.contains("-a rules"))
        .anyMatch(line -> line.contains("from slots; and not") && line.contains("-a acquire "))
        .anyMatch(line -> line.contains("'__fish_seen_subcommand_from block' -l reason -r"));
    assertThat(code).isZero();
  }

  private List<String> completions(String... words) throws Exception {
    String line = "headgate " + String.join(" ", words);
    var process =
        new ProcessBuilder(
                "bash",
                "-c",
                """
                source completion
                COMP_WORDS=(%s) COMP_CWORD=%d COMP_LINE='%s' COMP_POINT=%d
                _complete_headgate
                printf '%%s\\n' "${COMPREPLY[@]}"
                """
                    .formatted(line, words.length, line, line.length()))
            .directory(folder.toFile())
            .start();
    try (var in = process.inputReader()) {
      return in.lines().toList();
    } finally {
      process.destroy();
    }
  }
}
