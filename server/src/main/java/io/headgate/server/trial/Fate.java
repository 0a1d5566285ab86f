package io.headgate.server.trial;

/** What became of one request. */
public enum Fate {
  /** It went ahead at once. */
  ADMITTED,
  /** It was told to wait, and then went ahead. */
  DELAYED,
  DENIED
}
