package io.headgate.server.api;

import java.util.List;
import java.util.Optional;

/** Writes JSON in the order of the calls. Knows where commas go, and nothing of what is written. */
public final class JsonWriter {
  private static final String HEX = "0123456789abcdef";

  private final StringBuilder out = new StringBuilder(512);

  public JsonWriter begin() {
    return open('{');
  }

  public JsonWriter end() {
    out.append('}');
    return this;
  }

  public JsonWriter beginList() {
    return open('[');
  }

  public JsonWriter endList() {
    out.append(']');
    return this;
  }

  /** The name of a member; its value comes next. Names are ours and need no escape. */
  public JsonWriter name(String name) {
    separate();
    out.append('"').append(name).append("\":");
    return this;
  }

  public JsonWriter value(String text) {
    separate();
    out.append('"');
    for (int i = 0; i < text.length(); i++) append(text, i);
    out.append('"');
    return this;
  }

  public JsonWriter value(long number) {
    separate();
    out.append(number);
    return this;
  }

  /** With three decimals at the most. */
  public JsonWriter value(double number) {
    if (!Double.isFinite(number)) return nothing();
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

  public JsonWriter value(boolean truth) {
    separate();
    out.append(truth);
    return this;
  }

  public JsonWriter value(List<String> texts) {
    beginList();
    for (var text : texts) value(text);
    return endList();
  }

  public JsonWriter value(long[] numbers) {
    beginList();
    for (long number : numbers) value(number);
    return endList();
  }

  public JsonWriter nothing() {
    separate();
    out.append("null");
    return this;
  }

  /** A member that is null if there is no such text. */
  public JsonWriter textOrNothing(String name, Optional<String> text) {
    name(name);
    return text.isPresent() ? value(text.get()) : nothing();
  }

  /** What is JSON already. */
  public JsonWriter json(String text) {
    separate();
    out.append(text);
    return this;
  }

  /** A member whose name is not ours. */
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
