package io.headgate.cluster.internal;

/** A failure at another member, of which only the message is sent. */
final class MemberFailureException extends RuntimeException {
  private static final long serialVersionUID = 1;

  MemberFailureException(String message) {
    super(message, null, false, false);
  }
}
