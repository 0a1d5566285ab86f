package io.headgate.server.http;

/** What a caller must be allowed to do, from least to most. */
enum Role {
  ANYBODY,
  CHECK,
  ADMIN;

  /** Who may see the rules and their history. */
  static final Role READ_RULES = ADMIN;

  static final Role CHANGE_RULES = ADMIN;
}
