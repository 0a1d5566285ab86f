package io.headgate;

import io.headgate.limit.Outcome;
import io.headgate.limit.SlotLimit;
import io.headgate.rule.Charge;
import io.headgate.rule.Plan;
import io.headgate.rule.RuleSet;
import io.headgate.store.StoreException;
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
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The content of a slot id: the counters that the slots of a request are in, and the unguessable
 * number under which they are held. Self-contained, so that any instance can renew and release
 * them.
 */
record SlotToken(long holder, List<SlotRef> slots) {
  /**
   * A reference to the counter of one slot.
   *
   * @param override the index of the rule's override that applied; -1 for none
   * @param name the counter's id within the rule
   * @param key the counter's key
   */
  record SlotRef(String rule, int override, String name, String key) {}

  /** The number of characters that {@code writeUTF} can always write in one call. */
  private static final int MAX_CHUNK = 65_535 / 3;

  SlotToken {
    slots = List.copyOf(slots);
  }

  /** Returns the slots that a plan acquired; empty if it was denied or has no concurrency limit. */
  static Optional<SlotToken> of(Plan plan, List<Outcome> outcomes) {
    if (!hasSlots(plan)) return Optional.empty();
    var charged = plan.charged(outcomes);
    var slots = new LinkedHashSet<SlotRef>(); // a combined plan may name one twice
    long holder = 0;
    for (var part : plan.parts()) {
      for (int i = 0; i < part.counters().size(); i++) {
        var charge = plan.charges().get(part.from() + i);
        if (charged[part.from() + i] && charge.limit() instanceof SlotLimit && charge.cost() > 0) {
          holder = charge.holder();
          var counter = charge.counter();
          slots.add(new SlotRef(counter.rule(), part.override(), counter.id(), charge.key()));
        }
      }
    }
    return slots.isEmpty()
        ? Optional.empty()
        : Optional.of(new SlotToken(holder, List.copyOf(slots)));
  }

  private static boolean hasSlots(Plan plan) {
    for (var part : plan.parts()) {
      for (int i = 0; i < part.counters().size(); i++) {
        if (part.counters().get(i).limit() instanceof SlotLimit) return true;
      }
    }
    return false;
  }

  /**
   * Applies an action to each slot, by the limit that the rules have for it now.
   *
   * @param action takes a charge of cost 0; returns false if the holder has no slot
   * @return false if the action did for one of the slots, or if a rule no longer has its limit
   * @throws StoreException if the action failed for a slot; it was applied to the others
   */
  boolean forEachSlot(RuleSet rules, Predicate<Charge> action) {
    boolean all = true;
    @Nullable StoreException problem = null;
    for (var slot : slots) {
      var counter = rules.counter(slot.rule, slot.override, slot.name);
      try {
        boolean done =
            counter.isPresent()
                && counter.get().limit() instanceof SlotLimit
                && action.test(new Charge(counter.get(), slot.key, 0, holder));
        all &= done;
      } catch (StoreException e) {
        problem = e; // continue: other slots may be kept locally
      }
    }
    if (problem != null) throw problem;
    return all;
  }

  /** Encodes the token in the URL-safe Base64 alphabet. */
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

  /**
   * Decodes a token.
   *
   * @throws IllegalArgumentException if the text is not an encoded token
   */
  static SlotToken decode(String text) {
    try (var in =
        new DataInputStream(new ByteArrayInputStream(Base64.getUrlDecoder().decode(text)))) {
      long holder = in.readLong();
      int count = in.readUnsignedShort();
      if (count == 0) throw new IOException("no slots");
      var slots = new ArrayList<SlotRef>();
      for (int i = 0; i < count; i++) {
        slots.add(new SlotRef(in.readUTF(), in.readInt(), in.readUTF(), readText(in)));
      }
      if (in.read() >= 0) throw new IOException("trailing bytes");
      return new SlotToken(holder, slots);
    } catch (IOException | IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "not a valid slot id; use the id returned when the slot was acquired", e);
    }
  }

  /**
   * Writes a text of any length in chunks, the last of which is shorter than {@code MAX_CHUNK}. The
   * key of a counter per many attributes may exceed the limit of {@code writeUTF}.
   */
  private static void writeText(DataOutputStream out, String text) throws IOException {
    for (int from = 0; from <= text.length(); from += MAX_CHUNK) {
      out.writeUTF(text.substring(from, Math.min(from + MAX_CHUNK, text.length())));
    }
  }

  private static String readText(DataInputStream in) throws IOException {
    var text = new StringBuilder();
    String chunk;
    do {
      chunk = in.readUTF();
      text.append(chunk);
    } while (chunk.length() == MAX_CHUNK);
    return text.toString();
  }
}
