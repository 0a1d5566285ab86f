package io.headgate.cluster;

import io.headgate.store.ConsistencyOptions;
import io.headgate.store.OutageListener;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** The options of a {@link ClusterStore}. Immutable. {@link #builder} sets them. */
public final class ClusterOptions {
  /** The port of a member if none is set. */
  public static final int DEFAULT_PORT = 7574;

  /** The address to bind to if none is set. */
  public static final String DEFAULT_HOST = "127.0.0.1";

  /** The name of the cluster if none is set. */
  public static final String DEFAULT_NAME = "headgate";

  /** The deadline of a request if none is set. */
  public static final Duration DEFAULT_DEADLINE = Duration.ofMillis(250);

  /** The fewest characters of a secret. */
  public static final int MIN_SECRET_LENGTH = 16;

  private final List<MemberAddress> join;
  private final String host;
  private final int port;
  private final String name;
  private final int dataPort;
  private final Optional<String> secret;
  private final Optional<MemberCertificates> certificates;
  private final Duration patience;
  private final OptionalInt size;
  private final Optional<Path> memory;
  private final int backups;
  private final long maxBytes;
  private final Duration deadline;
  private final OutageListener outageListener;
  private final ConsistencyOptions consistency;
  private final MessageListener messageListener;

  /**
   * Is notified of each batch of commands that was answered or has failed, for metrics. It runs on
   * the thread that delivers the replies, so it must return quickly and must not throw.
   */
  @FunctionalInterface
  public interface MessageListener {
    /** Ignores all batches. */
    MessageListener NONE = (commands, nanos) -> {};

    /**
     * Called when a batch was answered or has failed.
     *
     * @param commands the number of commands in the batch
     * @param nanos the time since it was sent
     */
    void onReply(int commands, long nanos);
  }

  private ClusterOptions(Builder builder) {
    this.join = builder.join;
    this.host = builder.host;
    this.port = builder.port;
    this.name = builder.name;
    this.dataPort = builder.dataPort;
    this.secret = builder.secret;
    this.certificates = builder.certificates;
    this.patience = builder.patience;
    this.size = builder.size;
    this.memory = builder.memory;
    this.backups = builder.backups;
    this.maxBytes = builder.maxBytes;
    this.deadline = builder.deadline;
    this.outageListener = builder.outageListener;
    this.consistency = builder.consistency;
    this.messageListener = builder.messageListener;
  }

  /**
   * Starts from the default options.
   *
   * @param join the members to look for, separated by commas, such as {@code
   *     10.0.0.1:7574,10.0.0.2:7574}. A host name may have several addresses. This member may be
   *     among them
   * @throws IllegalArgumentException if an address is not valid
   */
  public static Builder builder(String join) {
    return new Builder(MemberAddress.parseAll(join));
  }

  /** Returns a builder with these options. */
  public Builder toBuilder() {
    var builder = new Builder(join);
    builder.host = host;
    builder.port = port;
    builder.name = name;
    builder.dataPort = dataPort;
    builder.secret = secret;
    builder.certificates = certificates;
    builder.patience = patience;
    builder.size = size;
    builder.memory = memory;
    builder.backups = backups;
    builder.maxBytes = maxBytes;
    builder.deadline = deadline;
    builder.outageListener = outageListener;
    builder.consistency = consistency;
    builder.messageListener = messageListener;
    return builder;
  }

  /** Returns the members to look for. */
  public List<MemberAddress> join() {
    return join;
  }

  /** Returns the address to bind to. */
  public String host() {
    return host;
  }

  /** Returns the port to listen on. */
  public int port() {
    return port;
  }

  /** Returns the port for all that members send each other; 0 if the system chooses it. */
  public int dataPort() {
    return dataPort;
  }

  /** Returns the name of the cluster; members of clusters of other names are not joined. */
  public String name() {
    return name;
  }

  /** Returns the secret that all members share, with which they authenticate and encrypt. */
  public Optional<String> secret() {
    return secret;
  }

  /** Returns the certificate with which this member authenticates, instead of a secret. */
  public Optional<MemberCertificates> certificates() {
    return certificates;
  }

  /** Returns whether members authenticate each other, and encrypt. */
  public boolean isEncrypted() {
    return secret.isPresent() || certificates.isPresent();
  }

  /** Returns how long this member waits at the start for others that accept connections. */
  Duration patience() {
    return patience;
  }

  /**
   * Returns the number of members that found the cluster, of which a majority must be seen; empty
   * if it is the number of members to look for.
   */
  public OptionalInt size() {
    return size;
  }

  /** Returns the file in which this member remembers the others; empty if it does not. */
  public Optional<Path> memory() {
    return memory;
  }

  /** Returns the number of members that have a copy of each counter, besides its owner. */
  public int backups() {
    return backups;
  }

  /** Returns the memory for the counters that this member owns, in bytes. */
  public long maxBytes() {
    return maxBytes;
  }

  /**
   * Returns how long a request waits for the cluster before the failure policies of its rules
   * decide. Time in which this process was stalled does not count, but a wait never exceeds ten
   * deadlines or one second (or the deadline itself, if that is longer).
   */
  public Duration deadline() {
    return deadline;
  }

  /** Returns the listener that is notified of failures and outages. */
  public OutageListener outageListener() {
    return outageListener;
  }

  /** Returns the options of the consistency modes leased, eventual and auto. */
  public ConsistencyOptions consistency() {
    return consistency;
  }

  /** Returns the listener that is notified of each batch of commands. */
  public MessageListener messageListener() {
    return messageListener;
  }

  /** Leaves out the secret. */
  @Override
  public String toString() {
    return "ClusterOptions[%s at %s:%d, join %s, %s, %d backups]"
        .formatted(name, host, port, join, isEncrypted() ? "TLS" : "in clear", backups);
  }

  /** Builds options from the settings that differ from the defaults. Not thread-safe. */
  public static final class Builder {
    private final List<MemberAddress> join;
    private String host = DEFAULT_HOST;
    private int port = DEFAULT_PORT;
    private String name = DEFAULT_NAME;
    private int dataPort;
    private Optional<String> secret = Optional.empty();
    private Optional<MemberCertificates> certificates = Optional.empty();
    private Duration patience = Duration.ofSeconds(30);
    private OptionalInt size = OptionalInt.empty();
    private Optional<Path> memory = Optional.empty();
    private int backups = 1;
    private long maxBytes = Math.min(Integer.MAX_VALUE, Runtime.getRuntime().maxMemory() / 4);
    private Duration deadline = DEFAULT_DEADLINE;
    private OutageListener outageListener = OutageListener.NONE;
    private ConsistencyOptions consistency = ConsistencyOptions.DEFAULT;
    private MessageListener messageListener = MessageListener.NONE;

    private Builder(List<MemberAddress> join) {
      this.join = join;
    }

    /** Sets the address to bind to, which other members must be able to reach. */
    public Builder host(String host) {
      this.host = host;
      return this;
    }

    /**
     * Sets the port to listen on.
     *
     * @throws IllegalArgumentException if it is not from 1 to 65535
     */
    public Builder port(int port) {
      require(port >= 1 && port <= 65_535, "a cluster port must be 1 to 65535, got %d", port);
      this.port = port;
      return this;
    }

    /**
     * Sets the port for all that members send each other, so that a firewall can let it pass.
     *
     * @param dataPort 0 lets the system choose a port
     * @throws IllegalArgumentException if it is not from 0 to 65535
     */
    public Builder dataPort(int dataPort) {
      require(
          dataPort >= 0 && dataPort <= 65_535,
          "a data port of the cluster must be 0 to 65535, got %d",
          dataPort);
      this.dataPort = dataPort;
      return this;
    }

    /**
     * Sets the name of the cluster.
     *
     * @throws IllegalArgumentException if it is not 1 to 64 letters, digits or any of . _ -
     */
    public Builder name(String name) {
      require(
          name.matches("[A-Za-z0-9._-]{1,64}"),
          "a cluster name has 1 to 64 letters, digits or any of . _ -, got '%s'",
          name);
      this.name = name;
      return this;
    }

    /**
     * Sets the secret that all members share.
     *
     * @throws IllegalArgumentException if it is shorter than {@link #MIN_SECRET_LENGTH}
     */
    public Builder secret(String secret) {
      require(
          secret.length() >= MIN_SECRET_LENGTH,
          "a cluster secret needs at least %d characters, got %d; generate one with: openssl rand"
              + " -base64 24",
          MIN_SECRET_LENGTH,
          secret.length());
      this.secret = Optional.of(secret);
      return this;
    }

    /** Sets the certificate with which this member authenticates, instead of a secret. */
    public Builder certificates(MemberCertificates certificates) {
      this.certificates = Optional.of(certificates);
      return this;
    }

    /**
     * Sets the number of members that found the cluster, for a list that does not name all of them.
     * All members need the same number. Once a cluster was founded, its members agree on who is one
     * of them, and the number no longer matters.
     *
     * @throws IllegalArgumentException if it is not from 1 to 1000
     */
    public Builder size(int size) {
      require(size >= 1 && size <= 1_000, "the size of a cluster must be 1 to 1000, got %d", size);
      this.size = OptionalInt.of(size);
      return this;
    }

    /**
     * Sets the file in which this member remembers the others, so that it does not decide alone if
     * it is restarted while it reaches none of them.
     */
    public Builder memory(Path file) {
      this.memory = Optional.of(file);
      return this;
    }

    Builder patience(Duration patience) {
      this.patience = patience;
      return this;
    }

    /**
     * Sets the number of members that have a copy of each counter.
     *
     * @throws IllegalArgumentException if it is not from 0 to 3
     */
    public Builder backups(int backups) {
      require(backups >= 0 && backups <= 3, "backups must be 0 to 3, got %d", backups);
      this.backups = backups;
      return this;
    }

    /**
     * Sets the memory for the counters that this member owns. When it is full, the counters that
     * were not used for the longest time are evicted.
     *
     * @throws IllegalArgumentException if it is less than 1 MB or more than 2 GB
     */
    public Builder maxBytes(long maxBytes) {
      require(
          maxBytes >= 1 << 20 && maxBytes <= Integer.MAX_VALUE,
          "the memory of a member must be 1 MB to 2 GB, got %d bytes",
          maxBytes);
      this.maxBytes = maxBytes;
      return this;
    }

    /**
     * Sets how long a request waits; see {@link ClusterOptions#deadline}.
     *
     * @throws IllegalArgumentException if it is not from 1 ms to 1 min
     */
    public Builder deadline(Duration deadline) {
      require(
          deadline.compareTo(Duration.ofMillis(1)) >= 0
              && deadline.compareTo(Duration.ofMinutes(1)) <= 0,
          "the deadline of a call must be 1 ms to 1 min, got %s",
          deadline);
      this.deadline = deadline;
      return this;
    }

    /** Sets the listener that is notified of failures and outages. */
    public Builder outageListener(OutageListener outageListener) {
      this.outageListener = outageListener;
      return this;
    }

    /** Sets the options of the consistency modes leased, eventual and auto. */
    public Builder consistency(ConsistencyOptions consistency) {
      this.consistency = consistency;
      return this;
    }

    /** Sets the listener that is notified of each batch of commands. */
    public Builder messageListener(MessageListener messageListener) {
      this.messageListener = messageListener;
      return this;
    }

    /**
     * Creates the options.
     *
     * @throws IllegalArgumentException if there are a secret and certificates, or both ports are
     *     the same
     */
    public ClusterOptions build() {
      require(
          secret.isEmpty() || certificates.isEmpty(),
          "members authenticate with a secret or with certificates, not with both");
      require(
          port != dataPort, "the port and the data port of a member differ, got %d twice", port);
      return new ClusterOptions(this);
    }
  }

  private static void require(boolean ok, String message, Object... values) {
    if (!ok) throw new IllegalArgumentException(message.formatted(values));
  }
}
