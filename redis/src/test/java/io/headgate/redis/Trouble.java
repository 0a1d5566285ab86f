package io.headgate.redis;

/**
 * Something that befalls the servers, and how it ends.
 *
 * @param severity what it does to those who ask meanwhile
 * @param memory what the servers know afterwards
 * @param aftermath happens when the store decides again
 */
record Trouble(
    String name, Severity severity, Memory memory, Act strikes, Act ends, Act aftermath) {
  Trouble(String name, Severity severity, Memory memory, Act strikes, Act ends) {
    this(name, severity, memory, strikes, ends, Act.NOTHING);
  }

  enum Severity {
    /** The store can't decide until it ends. */
    OUTAGE,
    /** Some of the servers can't; requests that others decide may go on. */
    PARTIAL,
    /** Over before anybody may have noticed. */
    BRIEF,
    /** The store decides all the while, though a machine that is busy may make it late. */
    NONE
  }

  enum Memory {
    KEPT,
    /** What a replica had not been told when its primary died is forgotten. */
    LAGGING,
    LOST
  }

  @FunctionalInterface
  interface Act {
    Act NOTHING = () -> {};

    void happens() throws Exception;
  }
}
