package io.headgate.testkit.redis;

import java.util.List;

/** What the server answered, as RESP2 has it; printed without any decoration. */
public sealed interface Reply {
  record Text(String value) implements Reply {
    @Override
    public String toString() {
      return value;
    }
  }

  record Whole(long value) implements Reply {
    @Override
    public String toString() {
      return Long.toString(value);
    }
  }

  record Many(List<Reply> values) implements Reply {
    public Many {
      values = List.copyOf(values);
    }

    @Override
    public String toString() {
      return values.toString();
    }
  }

  enum Nil implements Reply {
    NIL;

    @Override
    public String toString() {
      return "(nil)";
    }
  }

  default String text() {
    if (this instanceof Text(var value)) return value;
    throw unexpected("a text");
  }

  default long number() {
    if (this instanceof Whole(var value)) return value;
    throw unexpected("a number");
  }

  default List<Reply> items() {
    if (this instanceof Many(var values)) return values;
    throw unexpected("several");
  }

  default boolean isNil() {
    return this == Nil.NIL;
  }

  private IllegalStateException unexpected(String what) {
    return new IllegalStateException(
        "expected %s, the server answered %s %s".formatted(what, getClass().getSimpleName(), this));
  }
}
