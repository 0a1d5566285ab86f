package io.headgate.redis.internal.home;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads a batch in the order in which {@code prelude.lua} and {@code plan.lua} do, and not as the
 * validator does: an oracle for batches that were accepted. Fails if Redis would repeat, hold or
 * touch more than home allows.
 */
final class ScriptWalk {
  private static final int FAIR = 7;
  private static final int SLOTS = 5;

  private final List<Object> args = new ArrayList<>();
  private final List<String> keys;
  private final long maxLease;
  private final List<Integer> kinds = new ArrayList<>();
  private int pos;
  private long commands;
  private long charges;

  private ScriptWalk(List<String> keys, byte[] argument, long maxLease) {
    this.keys = keys;
    this.maxLease = maxLease;
    var in = ByteBuffer.wrap(argument);
    assertThat(in.get()).isEqualTo((byte) 0xdd);
    for (int count = in.getInt(); count > 0; count--) args.add(element(in));
    assertThat(in.hasRemaining()).isFalse();
  }

  /** Reads a batch to its end. */
  static void requireBounded(List<String> keys, byte[] argument, long maxLease) {
    new ScriptWalk(keys, argument, maxLease).run();
  }

  private static Object element(ByteBuffer in) {
    int type = Byte.toUnsignedInt(in.get());
    if (type < 0x80) return (double) type;
    return switch (type) {
      case 0xcd -> (double) Short.toUnsignedLong(in.getShort());
      case 0xce -> (double) Integer.toUnsignedLong(in.getInt());
      case 0xd3 -> (double) in.getLong();
      case 0xd9 -> {
        var text = new byte[Byte.toUnsignedInt(in.get())];
        in.get(text);
        yield new String(text, java.nio.charset.StandardCharsets.ISO_8859_1);
      }
      default -> throw new AssertionError("type " + type);
    };
  }

  private void run() {
    assertThat(number()).isEqualTo(-1);
    pos++; // the parts of the script
    for (int limits = (int) number(); limits > 0; limits--) {
      kinds.add((int) number());
      for (int i = 1; i < 7; i++) assertThat(number()).isBetween(-0x1p53, 0x1p53);
    }
    while (pos < args.size()) command();
    assertThat(pos).isEqualTo(args.size());
    assertThat(commands).isLessThanOrEqualTo(128);
    assertThat(charges).isLessThanOrEqualTo(16_384);
  }

  private void command() {
    commands++;
    int mode = (int) number();
    double count = number();
    switch (mode) {
      case 2, 3 -> slot(count);
      case 7 -> {
        slot(count);
        number();
        assertThat(number()).isBetween(0.0, 2.0);
      }
      case 5 -> hold(count);
      case 6 -> {
        counter(count);
        limit();
        amount();
      }
      case 8 -> reservation(count);
      case 10 -> settlement(count);
      case 9 -> {
        counter(count);
        limit();
        assertThat(nameOf(number())).startsWith("||");
      }
      default -> {
        assertThat(mode).isBetween(0, 4); // plan.lua takes every other mode for a plan
        if (count > 0) plan(count);
        else single(mode);
      }
    }
  }

  private void slot(double key) {
    counter(key);
    assertThat(limit()).isEqualTo(SLOTS);
    text();
  }

  private void hold(double key) {
    counter(key);
    limit();
    for (int i = 0; i < 7; i++) amount();
    assertThat(number()).isBetween(1.0, (double) maxLease);
  }

  private void plan(double parts) {
    for (double p = 0; p < parts; p++) {
      double size = number();
      for (int i = 0; i < 3; i++) number();
      for (double i = 0; i < size; i++) {
        charge();
        number();
      }
    }
  }

  private void single(int mode) {
    charge();
    double extra = number();
    if (mode == 4) {
      number();
      returns();
    } else {
      assertThat(extra).isBetween(1.0, 128.0);
      commands += (long) extra - 1;
    }
  }

  private void charge() {
    charges++;
    counter(number());
    int kind = limit();
    amount();
    if (kind == SLOTS) text();
    if (kind == FAIR) {
      text();
      number();
    }
  }

  private void reservation(double record) {
    assertThat(nameOf(record)).startsWith("|").doesNotStartWith("||");
    for (int i = 0; i < 3; i++) amount();
    for (double left = number(); left > 0; left--) {
      charges++;
      number();
      counter(number());
      limit();
      assertThat(number()).isBetween(-1.0, 0x1p53);
      for (int i = 0; i < 6; i++) amount();
      number();
      text();
      returns();
    }
  }

  private void settlement(double record) {
    assertThat(nameOf(record)).startsWith("|").doesNotStartWith("||");
    charges++;
    counter(number());
    limit();
    assertThat(number()).isBetween(-1.0, 0x1p53);
    for (int i = 0; i < 4; i++) amount();
    returns();
  }

  private void returns() {
    double index = number();
    if (index != 0) assertThat(nameOf(index)).startsWith("||");
  }

  private void counter(double index) {
    assertThat(nameOf(index)).doesNotStartWith("|");
  }

  /** Returns the text after the hash tag of a key. */
  private String nameOf(double index) {
    var key = keys.get((int) index - 1);
    return key.substring(key.indexOf('}') + 1);
  }

  private int limit() {
    return kinds.get((int) number() - 1);
  }

  private void amount() {
    assertThat(number()).isBetween(0.0, 0x1p53);
  }

  private double number() {
    return (Double) args.get(pos++);
  }

  private void text() {
    assertThat(args.get(pos++)).isInstanceOf(String.class);
  }
}
