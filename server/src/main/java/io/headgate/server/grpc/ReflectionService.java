package io.headgate.server.grpc;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.Descriptors.ServiceDescriptor;
import io.headgate.server.api.Readiness;
import io.vertx.core.buffer.Buffer;
import io.vertx.grpc.common.GrpcStatus;
import io.vertx.grpc.reflection.v1.ErrorResponse;
import io.vertx.grpc.reflection.v1.FileDescriptorResponse;
import io.vertx.grpc.reflection.v1.ListServiceResponse;
import io.vertx.grpc.reflection.v1.ServerReflectionRequest;
import io.vertx.grpc.reflection.v1.ServerReflectionResponse;
import io.vertx.grpc.reflection.v1.ServiceResponse;
import io.vertx.grpc.server.GrpcServerRequest;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The gRPC server reflection protocol: answers each request of a stream. Replaces Vert.x's
 * implementation, which ends the stream after the first response, so that tools report a failure.
 */
final class ReflectionService {
  /** The maximum number of requests in a stream; tools send a few. */
  static final int MAX_REQUESTS = 100;

  /** The maximum size of a request, which its response repeats. */
  static final int MAX_REQUEST_BYTES = 20 * 1024;

  private static final long MAX_IDLE_POLLS =
      Duration.ofMinutes(1).dividedBy(StreamingCalls.POLL_INTERVAL);

  private final StreamingCalls streams;
  private final Readiness readiness;
  private final ListServiceResponse list;
  private final Map<String, FileDescriptorResponse> byName = new HashMap<>();
  private final Map<String, FileDescriptorResponse> bySymbol = new HashMap<>();

  ReflectionService(StreamingCalls streams, Readiness readiness, List<ServiceDescriptor> services) {
    this.streams = streams;
    this.readiness = readiness;
    this.list = list(services);
    for (var service : services) add(service.getFile());
  }

  private void add(FileDescriptor file) {
    if (byName.containsKey(file.getName())) return;
    var found = withNeeded(file);
    byName.put(file.getName(), found);
    for (var service : file.getServices()) {
      bySymbol.put(service.getFullName(), found);
      for (var method : service.getMethods()) bySymbol.put(method.getFullName(), found);
    }
    for (var message : file.getMessageTypes()) add(message, found);
    for (var type : file.getEnumTypes()) bySymbol.put(type.getFullName(), found);
    for (var needed : file.getDependencies()) add(needed);
  }

  private void add(Descriptor message, FileDescriptorResponse found) {
    bySymbol.put(message.getFullName(), found);
    for (var nested : message.getNestedTypes()) add(nested, found);
    for (var type : message.getEnumTypes()) bySymbol.put(type.getFullName(), found);
  }

  /** Returns the maximum memory of a response; a stream has one in flight. */
  long maxResponseBytes() {
    int max = list.getSerializedSize();
    for (var file : byName.values()) max = Math.max(max, file.getSerializedSize());
    return max + 2L * MAX_REQUEST_BYTES;
  }

  void handle(GrpcServerRequest<Buffer, ServerReflectionResponse> call) {
    new ReflectionStream(call).start();
  }

  private final class ReflectionStream {
    private final GrpcServerRequest<Buffer, ServerReflectionResponse> call;
    private final GrpcReply<ServerReflectionResponse> reply;
    private int requests;
    private int idlePolls;

    ReflectionStream(GrpcServerRequest<Buffer, ServerReflectionResponse> call) {
      this.call = call;
      this.reply = new GrpcReply<>(call);
    }

    void start() {
      call.endHandler(end -> reply.end());
      streams.add(call.connection(), reply, this::poll);
      if (reply.isEnded()) return;
      reply.receive(ServerReflectionRequest.parser(), this::receive);
    }

    private void receive(ServerReflectionRequest request) {
      if (++requests > MAX_REQUESTS) throw tooMany();
      if (request.getSerializedSize() > MAX_REQUEST_BYTES) throw tooLong();
      idlePolls = 0;
      reply.write(response(request));
    }

    private void poll() {
      if (reply.isEnded()) return;
      if (readiness.isStopping()) {
        reply.fail(GrpcStatus.UNAVAILABLE, "the service is stopping; use another instance");
      } else if (++idlePolls > MAX_IDLE_POLLS) {
        reply.fail(GrpcStatus.DEADLINE_EXCEEDED, "no request for one minute; open another stream");
      }
    }
  }

  private static GrpcException tooLong() {
    return new GrpcException(
        GrpcStatus.RESOURCE_EXHAUSTED,
        "a reflection request may have at most %d bytes".formatted(MAX_REQUEST_BYTES));
  }

  private static GrpcException tooMany() {
    return new GrpcException(
        GrpcStatus.RESOURCE_EXHAUSTED,
        "a stream may send at most %d requests; open another stream".formatted(MAX_REQUESTS));
  }

  private ServerReflectionResponse response(ServerReflectionRequest request) {
    var response =
        ServerReflectionResponse.newBuilder()
            .setValidHost(request.getHost())
            .setOriginalRequest(request);
    return switch (request.getMessageRequestCase()) {
      case LIST_SERVICES -> response.setListServicesResponse(list).build();
      case FILE_BY_FILENAME -> file(response, byName.get(request.getFileByFilename()));
      case FILE_CONTAINING_SYMBOL ->
          file(response, bySymbol.get(request.getFileContainingSymbol()));
      case FILE_CONTAINING_EXTENSION, ALL_EXTENSION_NUMBERS_OF_TYPE, MESSAGEREQUEST_NOT_SET ->
          file(response, null);
    };
  }

  private static ListServiceResponse list(List<ServiceDescriptor> services) {
    var list = ListServiceResponse.newBuilder();
    for (var service : services) {
      list.addService(ServiceResponse.newBuilder().setName(service.getFullName()));
    }
    return list.build();
  }

  private static ServerReflectionResponse file(
      ServerReflectionResponse.Builder response, @Nullable FileDescriptorResponse found) {
    if (found != null) return response.setFileDescriptorResponse(found).build();
    return response
        .setErrorResponse(
            ErrorResponse.newBuilder()
                .setErrorCode(GrpcStatus.NOT_FOUND.code)
                .setErrorMessage("not found; list_services returns the available services"))
        .build();
  }

  /** Returns a file with its transitive dependencies, which saves clients further requests. */
  private static FileDescriptorResponse withNeeded(FileDescriptor file) {
    var files = new LinkedHashSet<FileDescriptor>();
    gather(file, files);
    var found = FileDescriptorResponse.newBuilder();
    for (var one : files) found.addFileDescriptorProto(one.toProto().toByteString());
    return found.build();
  }

  private static void gather(FileDescriptor file, Set<FileDescriptor> files) {
    if (!files.add(file)) return;
    for (var needed : file.getDependencies()) gather(needed, files);
  }
}
