package io.headgate.server.api;

/** The permission an operation requires. Tokens have one of the roles from {@link #CHECK} on. */
public enum Role {
  /** Requires no token. */
  PUBLIC,
  /**
   * Reading the state of a subject, which check and read tokens permit: a check of cost 0 returns
   * the same.
   */
  PEEK,
  /** Deciding requests. */
  CHECK,
  /**
   * Reporting usage that no check admitted, which can exclude any subject for a while. Check tokens
   * permit it while no token has this role. Its tokens permit checks too.
   */
  USAGE,
  /**
   * Holding permits as leases of clients, and reporting their usage. Check tokens permit it while
   * no token has this role. Its tokens permit checks too.
   */
  LEASE,
  /** Reporting the load of backends. */
  SIGNAL,
  /** Holding and charging permits at home, for instances of other regions. */
  REGION,
  /** Reading rules, their history and statistics. */
  READ,
  /** Everything, including changes of rules and resets. */
  ADMIN;

  /** The role that may read the rules and their history. */
  public static final Role READ_RULES = READ;

  /** The role that may change the rules. */
  public static final Role CHANGE_RULES = ADMIN;

  /** Returns whether this is checks, or what check tokens permit by default. */
  public boolean isPartOfChecks() {
    return this == CHECK || this == USAGE || this == LEASE;
  }

  /** Returns whether a token of this role permits operations that require the other role. */
  boolean covers(Role needed) {
    return switch (needed) {
      case PUBLIC -> true;
      case PEEK -> isPartOfChecks() || this == READ || this == ADMIN;
      case CHECK -> isPartOfChecks() || this == ADMIN;
      case USAGE -> this == USAGE || this == ADMIN;
      case LEASE -> this == LEASE || this == ADMIN;
      case SIGNAL -> this == SIGNAL || this == ADMIN;
      case REGION -> this == REGION || this == ADMIN;
      case READ -> this == READ || this == ADMIN;
      case ADMIN -> this == ADMIN;
    };
  }

  /** Returns the role as it appears in messages. */
  String text() {
    return switch (this) {
      case PUBLIC -> "no";
      case PEEK -> "check or read";
      case CHECK -> "check";
      case USAGE -> "usage";
      case LEASE -> "lease";
      case SIGNAL -> "signal";
      case REGION -> "region";
      case READ -> "read";
      case ADMIN -> "admin";
    };
  }
}
