package io.headgate.server.api;

import java.util.List;
import java.util.Optional;

/**
 * Writes compact JSON in the order of the calls. Inserts commas; does not check that the calls form
 * valid JSON. Not thread-safe.
 */
public final class JsonWriter {
  private static final String HEX = "0123456789abcdef";

  private final StringBuilder out = new StringBuilder(512);

  /** Begins an object. */
  public JsonWriter begin() {
    return open('{');
  }

  /** Ends an object. */
  public JsonWriter end() {
    out.append('}');
    return this;
  }

  /** Begins an array. */
  public JsonWriter beginList() {
    return open('[');
  }

  /** Ends an array. */
  public JsonWriter endList() {
    out.append(']');
    return this;
  }

  /** Writes the name of a member, without escaping; its value comes next. */
  public JsonWriter name(String name) {
    separate();
    out.append('"').append(name).append("\":");
    return this;
  }

  /** Writes a string. Control characters are escaped; unpaired surrogates become U+FFFD. */
  public JsonWriter value(String text) {
    separate();
    out.append('"');
    for (int i = 0; i < text.length(); i++) append(text, i);
    out.append('"');
    return this;
  }

  /** Writes an integer. */
  public JsonWriter value(long number) {
    separate();
    out.append(number);
    return this;
  }

  /** Writes a number with at most three decimals; null if it is not finite. */
  public JsonWriter value(double number) {
    if (!Double.isFinite(number)) return nullValue();
    separate();
    if (Math.abs(number) >= 1e15) {
      out.append((long) number);
      return this;
    }
    long thousandths = Math.round(number * 1_000);
    if (thousandths < 0) out.append('-');
    long size = Math.abs(thousandths);
    out.append(size / 1_000);
    int rest = (int) (size % 1_000);
    if (rest == 0) return this;
    String digits = Integer.toString(1_000 + rest);
    int end = rest % 100 == 0 ? 2 : rest % 10 == 0 ? 3 : 4;
    out.append('.').append(digits, 1, end);
    return this;
  }

  /** Writes a boolean. */
  public JsonWriter value(boolean flag) {
    separate();
    out.append(flag);
    return this;
  }

  /** Writes an array of strings. */
  public JsonWriter value(List<String> texts) {
    beginList();
    for (var text : texts) value(text);
    return endList();
  }

  /** Writes an array of integers. */
  public JsonWriter value(long[] numbers) {
    beginList();
    for (long number : numbers) value(number);
    return endList();
  }

  /** Writes null. */
  public JsonWriter nullValue() {
    separate();
    out.append("null");
    return this;
  }

  /** Writes a member whose value is a string, or null if empty. */
  public JsonWriter textOrNull(String name, Optional<String> text) {
    name(name);
    return text.isPresent() ? value(text.get()) : nullValue();
  }

  /** Writes a value that is JSON already. */
  public JsonWriter json(String text) {
    separate();
    out.append(text);
    return this;
  }

  /** Writes a string member whose name is escaped. */
  public JsonWriter member(String name, String text) {
    value(name);
    out.append(':');
    return value(text);
  }

  private JsonWriter open(char bracket) {
    separate();
    out.append(bracket);
    return this;
  }

  private void separate() {
    if (out.isEmpty()) return;
    char last = out.charAt(out.length() - 1);
    if (last != '{' && last != '[' && last != ':') out.append(',');
  }

  private void append(String text, int at) {
    char c = text.charAt(at);
    if (c >= ' ' && c != '"' && c != '\\' && c < 0x7f) out.append(c);
    else if (c == '"' || c == '\\') out.append('\\').append(c);
    else if (c < 0xa0) escape(c);
    else out.append(TextSyntax.isLoneSurrogate(text, at) ? '\ufffd' : c);
  }

  private void escape(char c) {
    out.append("\\u00").append(HEX.charAt(c >> 4)).append(HEX.charAt(c & 15));
  }

  @Override
  public String toString() {
    return out.toString();
  }
}
