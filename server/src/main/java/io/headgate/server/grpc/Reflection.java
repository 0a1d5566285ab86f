package io.headgate.server.grpc;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.Descriptors.ServiceDescriptor;
import io.vertx.core.buffer.Buffer;
import io.vertx.grpc.common.GrpcStatus;
import io.vertx.grpc.reflection.v1.ErrorResponse;
import io.vertx.grpc.reflection.v1.FileDescriptorResponse;
import io.vertx.grpc.reflection.v1.ListServiceResponse;
import io.vertx.grpc.reflection.v1.ServerReflectionRequest;
import io.vertx.grpc.reflection.v1.ServerReflectionResponse;
import io.vertx.grpc.reflection.v1.ServiceResponse;
import io.vertx.grpc.server.GrpcServerRequest;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Tells tools what there is to call, in as many answers as there are questions in a stream. (The
 * one that Vert.x brings ends the stream with the first, which tools take for a failure.)
 */
final class Reflection {
  private final List<ServiceDescriptor> services;
  private final Map<String, FileDescriptor> byName = new HashMap<>();
  private final Map<String, FileDescriptor> bySymbol = new HashMap<>();

  Reflection(List<ServiceDescriptor> services) {
    this.services = List.copyOf(services);
    for (var service : services) add(service.getFile());
  }

  private void add(FileDescriptor file) {
    if (byName.putIfAbsent(file.getName(), file) != null) return;
    for (var service : file.getServices()) {
      bySymbol.put(service.getFullName(), file);
      for (var method : service.getMethods()) bySymbol.put(method.getFullName(), file);
    }
    for (var message : file.getMessageTypes()) add(message);
    for (var type : file.getEnumTypes()) bySymbol.put(type.getFullName(), file);
    for (var needed : file.getDependencies()) add(needed);
  }

  private void add(Descriptor message) {
    bySymbol.put(message.getFullName(), message.getFile());
    for (var nested : message.getNestedTypes()) add(nested);
    for (var type : message.getEnumTypes()) bySymbol.put(type.getFullName(), message.getFile());
  }

  void handle(GrpcServerRequest<Buffer, ServerReflectionResponse> call) {
    var reply = new Reply<>(call);
    call.endHandler(end -> reply.end());
    reply.receive(ServerReflectionRequest.parser(), asked -> reply.write(answer(asked)));
  }

  private ServerReflectionResponse answer(ServerReflectionRequest asked) {
    var answer =
        ServerReflectionResponse.newBuilder()
            .setValidHost(asked.getHost())
            .setOriginalRequest(asked);
    return switch (asked.getMessageRequestCase()) {
      case LIST_SERVICES -> answer.setListServicesResponse(list()).build();
      case FILE_BY_FILENAME -> file(answer, byName.get(asked.getFileByFilename()));
      case FILE_CONTAINING_SYMBOL -> file(answer, bySymbol.get(asked.getFileContainingSymbol()));
      case FILE_CONTAINING_EXTENSION, ALL_EXTENSION_NUMBERS_OF_TYPE, MESSAGEREQUEST_NOT_SET ->
          file(answer, null);
    };
  }

  private ListServiceResponse list() {
    var list = ListServiceResponse.newBuilder();
    for (var service : services) {
      list.addService(ServiceResponse.newBuilder().setName(service.getFullName()));
    }
    return list.build();
  }

  /** A file comes with those that it needs, so that nobody has to ask for them. */
  private static ServerReflectionResponse file(
      ServerReflectionResponse.Builder answer, @Nullable FileDescriptor file) {
    if (file == null) {
      return answer
          .setErrorResponse(
              ErrorResponse.newBuilder()
                  .setErrorCode(GrpcStatus.NOT_FOUND.code)
                  .setErrorMessage("there is no such thing here; list the services to see what is"))
          .build();
    }
    var files = new LinkedHashSet<FileDescriptor>();
    gather(file, files);
    var found = FileDescriptorResponse.newBuilder();
    for (var one : files) found.addFileDescriptorProto(one.toProto().toByteString());
    return answer.setFileDescriptorResponse(found).build();
  }

  private static void gather(FileDescriptor file, Set<FileDescriptor> files) {
    if (!files.add(file)) return;
    for (var needed : file.getDependencies()) gather(needed, files);
  }
}
