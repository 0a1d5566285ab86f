package io.headgate.testkit.redis;

import java.util.List;

/** A RESP2 reply. {@code toString} returns the bare value. */
public sealed interface Reply {
  /** A simple or bulk string. */
  record Text(String value) implements Reply {
    @Override
    public String toString() {
      return value;
    }
  }

  /** An integer. */
  record IntegerReply(long value) implements Reply {
    @Override
    public String toString() {
      return Long.toString(value);
    }
  }

  /** An array. */
  record Array(List<Reply> values) implements Reply {
    public Array {
      values = List.copyOf(values);
    }

    @Override
    public String toString() {
      return values.toString();
    }
  }

  /** The null reply. */
  enum Nil implements Reply {
    NIL;

    @Override
    public String toString() {
      return "(nil)";
    }
  }

  /** Returns the string; throws IllegalStateException for another type. */
  default String text() {
    if (this instanceof Text(var value)) return value;
    throw unexpected("a string");
  }

  /** Returns the integer; throws IllegalStateException for another type. */
  default long number() {
    if (this instanceof IntegerReply(var value)) return value;
    throw unexpected("a number");
  }

  /** Returns the elements; throws IllegalStateException for another type. */
  default List<Reply> items() {
    if (this instanceof Array(var values)) return values;
    throw unexpected("an array");
  }

  default boolean isNil() {
    return this == Nil.NIL;
  }

  private IllegalStateException unexpected(String what) {
    return new IllegalStateException(
        "expected %s, the server replied %s %s".formatted(what, getClass().getSimpleName(), this));
  }
}
