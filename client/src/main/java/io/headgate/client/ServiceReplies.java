package io.headgate.client;

import io.headgate.rule.Request;
import java.io.IOException;
import java.net.ConnectException;
import java.net.http.HttpConnectTimeoutException;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;

/** Interprets responses of the service, and describes failures. */
final class ServiceReplies {
  private static final int MAX_DETAIL = 300;

  private final ClientOptions options;

  ServiceReplies(ClientOptions options) {
    this.options = options;
  }

  /**
   * Returns the decision in a response of any status: rules choose the status of their denials.
   *
   * @throws RequestRejectedException if the service rejected the request
   * @throws HeadgateException if the response has no decision
   */
  RemoteResult decision(ServiceReply response, Request request) {
    return read(response, fields -> fields.result(request));
  }

  /** Returns the reservation in a response; fails as {@link #decision} does. */
  RemoteReservation reservation(
      ServiceReply response, Request request, RemoteReservations reservations) {
    return read(response, fields -> fields.reservation(request, reservations));
  }

  private interface FieldReader<T> {
    T read(DecisionFields fields) throws IOException;
  }

  private <T> T read(ServiceReply response, FieldReader<T> reader) {
    try {
      return switch (ReplyJson.one(response.body())) {
        case ReplyJson.Decided(var fields) -> reader.read(fields);
        case ReplyJson.Problem(var detail) -> throw problem(response.status(), detail);
      };
    } catch (IOException e) {
      throw unreadable(response.status(), e);
    }
  }

  /** Returns the decisions of a batch; fails as {@link #decision} does. */
  List<RemoteResult> decisions(ServiceReply response, List<Request> requests) {
    try {
      if (response.status() == 200) return ReplyJson.batch(response.body(), requests);
    } catch (IOException e) {
      throw unreadable(response.status(), e);
    }
    throw problem(response);
  }

  /** Returns the state of a reservation; fails as {@link #decision} does. */
  RemoteReservationState state(ServiceReply response) {
    try {
      if (response.status() == 200) return ReservationStateJson.read(response.body());
    } catch (IOException e) {
      throw unreadable(response.status(), e);
    }
    throw problem(response);
  }

  /** Returns the exception for a response that is an error. */
  HeadgateException problem(ServiceReply response) {
    try {
      return ReplyJson.one(response.body()) instanceof ReplyJson.Problem(var detail)
          ? problem(response.status(), detail)
          : problem(response.status(), "");
    } catch (IOException e) {
      return unreadable(response.status(), e);
    }
  }

  private HeadgateException problem(int status, String detail) {
    if (detail.isEmpty()) {
      return new HeadgateException(
          "%s replied %d, which is not a response of Headgate; check the URL"
              .formatted(options.url(), status),
          null);
    }
    String text = "%s replied %d: %s".formatted(options.url(), status, printable(detail));
    return status >= 400 && status < 500
        ? new RequestRejectedException(status, text)
        : new HeadgateException(text, null);
  }

  private HeadgateException unreadable(int status, IOException cause) {
    return new HeadgateException(
        "%s replied %d with a body that is not a response of Headgate; check the URL"
            .formatted(options.url(), status),
        cause);
  }

  /** Returns the exception for a call that failed. */
  HeadgateException failure(Throwable failure) {
    var cause = unwrapped(failure);
    if (cause instanceof HeadgateException known) return known;
    return new HeadgateException("%s %s".formatted(options.url(), reason(cause)), cause);
  }

  private static String reason(Throwable cause) {
    if (cause instanceof TimeoutException) {
      return "did not answer within the deadline; it may be overloaded, or the deadline too short";
    }
    if (cause instanceof HttpConnectTimeoutException) {
      return "did not accept a connection within the deadline; check the address and the network";
    }
    if (cause instanceof ConnectException) {
      return "can't be connected to; check that the service runs and the address is right";
    }
    var message = cause.getMessage();
    return "failed: " + (message == null ? cause.getClass().getSimpleName() : printable(message));
  }

  static Throwable unwrapped(Throwable failure) {
    var cause = failure.getCause();
    return failure instanceof CompletionException && cause != null ? unwrapped(cause) : failure;
  }

  /** Text of a response, safe for a log: one short line. */
  private static String printable(String text) {
    String line = text.replaceAll("\\p{Cntrl}", " ");
    return line.length() <= MAX_DETAIL ? line : line.substring(0, MAX_DETAIL) + "…";
  }
}
