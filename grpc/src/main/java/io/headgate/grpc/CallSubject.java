package io.headgate.grpc;

import io.grpc.Attributes;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.headgate.rule.Request;
import io.headgate.rule.Subject;
import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.Optional;

/** Describes a call of a server as a request for its limits. Must be safe for several threads. */
@FunctionalInterface
public interface CallSubject {
  /**
   * Returns the request.
   *
   * @param method the method that is called
   * @param headers the metadata that the client sent
   * @param attributes those of the connection, such as the remote address
   * @return the request, or empty for a call that is not limited, such as a health check
   */
  Optional<Request> of(MethodDescriptor<?, ?> method, Metadata headers, Attributes attributes);

  /**
   * Returns the default: attribute {@code service} is the full name of the gRPC service, {@code
   * method} that of the method without the service, and {@code ip} the address of the peer.
   */
  static CallSubject standard() {
    return (method, headers, attributes) -> {
      var subject = new LinkedHashMap<>(named(method).attributes());
      if (attributes.get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR) instanceof InetSocketAddress peer
          && peer.getAddress() != null) {
        subject.put("ip", peer.getAddress().getHostAddress());
      }
      return Optional.of(Request.of(Subject.of(subject)));
    };
  }

  /** Returns the attributes {@code service} and {@code method}. */
  static Subject named(MethodDescriptor<?, ?> method) {
    String name = method.getFullMethodName();
    int slash = name.lastIndexOf('/');
    return slash <= 0 || slash == name.length() - 1
        ? Subject.of("method", name)
        : Subject.of("service", name.substring(0, slash)).with("method", name.substring(slash + 1));
  }
}
