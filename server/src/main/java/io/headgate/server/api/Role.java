package io.headgate.server.api;

/** What a caller must be allowed to do; each token is good for one of the last three. */
public enum Role {
  ANYBODY,
  /**
   * To see how a subject stands, as who checks or reads may: a check that costs nothing says it
   * too.
   */
  PEEK,
  CHECK,
  READ,
  ADMIN;

  /** Who may see the rules and their history. */
  public static final Role READ_RULES = READ;

  public static final Role CHANGE_RULES = ADMIN;

  /** Whether a token of this role lets its bearer do what the other role stands for. */
  boolean covers(Role needed) {
    return switch (needed) {
      case ANYBODY -> true;
      case PEEK -> this == CHECK || this == READ || this == ADMIN;
      case CHECK -> this == CHECK || this == ADMIN;
      case READ -> this == READ || this == ADMIN;
      case ADMIN -> this == ADMIN;
    };
  }

  String text() {
    return switch (this) {
      case ANYBODY -> "no";
      case PEEK -> "check or read";
      case CHECK -> "check";
      case READ -> "read";
      case ADMIN -> "admin";
    };
  }
}
