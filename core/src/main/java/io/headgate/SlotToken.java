package io.headgate;

import io.headgate.limit.Concurrency;
import io.headgate.limit.Outcome;
import io.headgate.rule.Plan;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;

/**
 * What a caller keeps to renew or release the slots it took: which counters they are in, and the
 * number it holds them under, which nobody can guess. It says all that, so any instance can act on
 * it.
 */
record SlotToken(long holder, List<Slot> slots) {
  /**
   * One place taken.
   *
   * @param override the override of the rule that applied; -1 for none
   * @param name the counter's id within the rule
   */
  record Slot(String rule, int override, String name, String key) {}

  /** As many characters as surely fit into what {@code writeUTF} can write at once. */
  private static final int PIECE = 65_535 / 3;

  SlotToken {
    slots = List.copyOf(slots);
  }

  /** The slots that a plan took; empty if it has no limit of concurrency, or was denied. */
  static Optional<SlotToken> of(Plan plan, List<Outcome> outcomes) {
    var charged = plan.charged(outcomes);
    var slots = new LinkedHashSet<Slot>(); // of several requests, two may have the same
    long holder = 0;
    for (var part : plan.parts()) {
      for (int i = 0; i < part.counters().size(); i++) {
        var charge = plan.charges().get(part.from() + i);
        if (charged[part.from() + i]
            && charge.limit() instanceof Concurrency
            && charge.cost() > 0) {
          holder = charge.holder();
          var counter = charge.counter();
          slots.add(new Slot(counter.rule(), part.override(), counter.id(), charge.key()));
        }
      }
    }
    return slots.isEmpty()
        ? Optional.empty()
        : Optional.of(new SlotToken(holder, List.copyOf(slots)));
  }

  String encode() {
    var bytes = new ByteArrayOutputStream();
    try (var out = new DataOutputStream(bytes)) {
      out.writeLong(holder);
      out.writeShort(slots.size());
      for (var slot : slots) {
        out.writeUTF(slot.rule);
        out.writeInt(slot.override);
        out.writeUTF(slot.name);
        writeText(out, slot.key);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes.toByteArray());
  }

  static SlotToken decode(String text) {
    try (var in =
        new DataInputStream(new ByteArrayInputStream(Base64.getUrlDecoder().decode(text)))) {
      long holder = in.readLong();
      int count = in.readUnsignedShort();
      if (count == 0) throw new IOException("no slots");
      var slots = new ArrayList<Slot>();
      for (int i = 0; i < count; i++) {
        slots.add(new Slot(in.readUTF(), in.readInt(), in.readUTF(), readText(in)));
      }
      if (in.read() >= 0) throw new IOException("more than a ticket");
      return new SlotToken(holder, slots);
    } catch (IOException | IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "this is not the id of a lease; use the one that acquiring it gave", e);
    }
  }

  /** Keys of many attributes outgrow {@code writeUTF}: piece by piece, the last one not full. */
  private static void writeText(DataOutputStream out, String text) throws IOException {
    for (int from = 0; from <= text.length(); from += PIECE) {
      out.writeUTF(text.substring(from, Math.min(from + PIECE, text.length())));
    }
  }

  private static String readText(DataInputStream in) throws IOException {
    var text = new StringBuilder();
    String piece;
    do {
      piece = in.readUTF();
      text.append(piece);
    } while (piece.length() == PIECE);
    return text.toString();
  }
}
