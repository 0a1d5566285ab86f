package io.headgate.server.http;

/** What a caller must be allowed to do, from least to most. */
enum Role {
  ANYBODY,
  CHECK,
  ADMIN
}
