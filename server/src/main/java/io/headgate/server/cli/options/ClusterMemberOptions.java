package io.headgate.server.cli.options;

import static io.headgate.server.cli.options.StoreOptions.withOptionName;

import io.headgate.cluster.ClusterOptions;
import io.headgate.cluster.MemberCertificates;
import io.headgate.server.cli.output.CommandFailure;
import io.headgate.server.cli.output.DurationText;
import io.headgate.server.metrics.StoreMetrics;
import io.headgate.server.store.ClusterStoreFactory;
import io.headgate.store.ConsistencyOptions;
import io.headgate.store.Store;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import picocli.CommandLine.Option;

/** Options of this instance as a member of a cluster. */
public final class ClusterMemberOptions {
  @Option(
      names = "--join",
      paramLabel = "HOST:PORT,…",
      description =
          "For --store cluster: the members to look for. The same list can be given to all, this"
              + " one included. A DNS name stands for all of its addresses. Default: none")
  private Optional<String> join = Optional.empty();

  @Option(
      names = "--cluster-size",
      paramLabel = "N",
      description =
          "The number of members with which a cluster is founded, where --join does not name each of"
              + " them. A majority of them must be there. Default: the number of members of --join")
  private Optional<Integer> size = Optional.empty();

  @Option(
      names = "--cluster-host",
      paramLabel = "ADDRESS",
      defaultValue = ClusterOptions.DEFAULT_HOST,
      description =
          "The address of this member, which the others must reach. One that other machines can"
              + " reach needs a secret or certificates. Default: ${DEFAULT-VALUE}")
  private String host = ClusterOptions.DEFAULT_HOST;

  @Option(
      names = "--cluster-port",
      paramLabel = "PORT",
      defaultValue = "" + ClusterOptions.DEFAULT_PORT,
      description = "The port at which other members find this one. Default: ${DEFAULT-VALUE}")
  private int port = ClusterOptions.DEFAULT_PORT;

  @Option(
      names = "--cluster-data-port",
      paramLabel = "PORT",
      defaultValue = "0",
      description =
          "The port for all that members send each other, by TCP and, without TLS, UDP. Set it where"
              + " a firewall is between members. Default: one that the system chooses")
  private int dataPort;

  @Option(
      names = "--cluster-cert",
      paramLabel = "FILE",
      description =
          "The certificate (PEM) of this member, with intermediate ones after it. Instead of a"
              + " secret; needs its key and the CA of the members. Default: none")
  private Optional<Path> certificate = Optional.empty();

  @Option(
      names = "--cluster-key",
      paramLabel = "FILE",
      description = "The private key of --cluster-cert (PEM, PKCS #8, unencrypted). Default: none")
  private Optional<Path> key = Optional.empty();

  @Option(
      names = "--cluster-ca",
      paramLabel = "FILE",
      description =
          "The authority (PEM) that signs the certificates of all members. Every"
              + " certificate of it can join, so it must sign nothing else. Default: none")
  private Optional<Path> authority = Optional.empty();

  @Option(
      names = "--cluster-secret",
      paramLabel = "TEXT",
      description =
          "A secret that all members share, of 16 characters or more. Members without it can't"
              + " join, and all that is sent between members is encrypted (TLS). Default: none")
  private Optional<String> secret = Optional.empty();

  @Option(
      names = "--cluster-backups",
      paramLabel = "N",
      defaultValue = "1",
      description =
          "How many members have a copy of each counter besides its owner, so that as many can"
              + " fail at once without a loss. Default: ${DEFAULT-VALUE}")
  private int backups = 1;

  @Option(
      names = "--cluster-timeout",
      paramLabel = "TIME",
      defaultValue = "250ms",
      converter = DurationText.class,
      description =
          "How long a request waits for the owner of a counter before the on-store-failure"
              + " policies of its rules decide. Default: ${DEFAULT-VALUE}")
  private Duration timeout = ClusterOptions.DEFAULT_DEADLINE;

  /**
   * Joins the cluster.
   *
   * @param data the directory in which this member remembers the others
   * @throws CommandFailure if an option is not valid or the cluster can't be joined
   */
  Store open(ConsistencyOptions consistency, StoreMetrics metrics, Path data) {
    var options =
        options()
            .memory(data.resolve("cluster-members"))
            .consistency(consistency)
            .outageListener(metrics)
            .messageListener(metrics::onRoundTrip)
            .build();
    try {
      return ClusterStoreFactory.open(options);
    } catch (IllegalArgumentException | IllegalStateException e) {
      throw CommandFailure.of(e);
    }
  }

  String describe() {
    return ClusterStoreFactory.describe(options().build());
  }

  private ClusterOptions.Builder options() {
    var members =
        join.orElseThrow(() ->
            new CommandFailure(
                "--store cluster needs --join with the members to look for, such as --join"
                    + " 127.0.0.1:7574,127.0.0.1:7575"));
    var options = withOptionName("--join", () -> ClusterOptions.builder(members));
    size.ifPresent(n -> withOptionName("--cluster-size", () -> options.size(n)));
    withOptionName("--cluster-port", () -> options.port(port));
    withOptionName("--cluster-data-port", () -> options.dataPort(dataPort));
    withOptionName("--cluster-backups", () -> options.backups(backups));
    withOptionName("--cluster-timeout", () -> options.deadline(timeout));
    secret.ifPresent(text -> withOptionName("--cluster-secret", () -> options.secret(text)));
    certificates().ifPresent(options::certificates);
    withOptionName("--cluster-data-port", options::build);
    return options.host(host);
  }

  private Optional<MemberCertificates> certificates() {
    if (certificate.isEmpty() && key.isEmpty() && authority.isEmpty()) return Optional.empty();
    if (certificate.isEmpty() || key.isEmpty() || authority.isEmpty()) {
      throw new CommandFailure(
          "--cluster-cert, --cluster-key and --cluster-ca must be given together");
    }
    if (secret.isPresent()) {
      throw new CommandFailure(
          "members authenticate with --cluster-secret or with --cluster-cert, not with both");
    }
    return Optional.of(new MemberCertificates(certificate.get(), key.get(), authority.get()));
  }
}
