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
 * Tells tools what there is to call, in as many answers as there are questions in a stream. (The
 * one that Vert.x brings ends the stream with the first, which tools take for a failure.)
 */
final class ReflectionService {
  /** Tools ask a few; whoever has more to ask can open another stream. */
  static final int MOST_QUESTIONS = 100;

  /** An answer repeats its question. */
  static final int LONGEST_QUESTION = 20 * 1024;

  private static final long MOST_SILENT_LOOKS =
      Duration.ofMinutes(1).dividedBy(StreamingCalls.LOOK_EVERY);

  private final StreamingCalls lasting;
  private final Readiness readiness;
  private final ListServiceResponse list;
  private final Map<String, FileDescriptorResponse> byName = new HashMap<>();
  private final Map<String, FileDescriptorResponse> bySymbol = new HashMap<>();

  ReflectionService(StreamingCalls lasting, Readiness readiness, List<ServiceDescriptor> services) {
    this.lasting = lasting;
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

  /** The memory that an answer takes at most: a stream has one on its way. */
  long longestAnswer() {
    int longest = list.getSerializedSize();
    for (var file : byName.values()) longest = Math.max(longest, file.getSerializedSize());
    return longest + 2L * LONGEST_QUESTION;
  }

  void handle(GrpcServerRequest<Buffer, ServerReflectionResponse> call) {
    new Conversation(call).begin();
  }

  private final class Conversation {
    private final GrpcServerRequest<Buffer, ServerReflectionResponse> call;
    private final GrpcReply<ServerReflectionResponse> reply;
    private int questions;
    private int silentLooks;

    Conversation(GrpcServerRequest<Buffer, ServerReflectionResponse> call) {
      this.call = call;
      this.reply = new GrpcReply<>(call);
    }

    void begin() {
      call.endHandler(end -> reply.end());
      lasting.add(call.connection(), reply, this::look);
      if (reply.isGiven()) return;
      reply.receive(ServerReflectionRequest.parser(), this::hear);
    }

    private void hear(ServerReflectionRequest asked) {
      if (++questions > MOST_QUESTIONS) throw tooMany();
      if (asked.getSerializedSize() > LONGEST_QUESTION) throw tooLong();
      silentLooks = 0;
      reply.write(answer(asked));
    }

    private void look() {
      if (reply.isGiven()) return;
      if (readiness.isStopping()) {
        reply.fail(GrpcStatus.UNAVAILABLE, "the service stops; ask another");
      } else if (++silentLooks > MOST_SILENT_LOOKS) {
        reply.fail(GrpcStatus.DEADLINE_EXCEEDED, "nothing was asked for a minute; open another");
      }
    }
  }

  private static GrpcException tooLong() {
    return new GrpcException(
        GrpcStatus.RESOURCE_EXHAUSTED,
        "a question may have at most %d bytes".formatted(LONGEST_QUESTION));
  }

  private static GrpcException tooMany() {
    return new GrpcException(
        GrpcStatus.RESOURCE_EXHAUSTED,
        "a stream may ask at most %d questions; open another".formatted(MOST_QUESTIONS));
  }

  private ServerReflectionResponse answer(ServerReflectionRequest asked) {
    var answer =
        ServerReflectionResponse.newBuilder()
            .setValidHost(asked.getHost())
            .setOriginalRequest(asked);
    return switch (asked.getMessageRequestCase()) {
      case LIST_SERVICES -> answer.setListServicesResponse(list).build();
      case FILE_BY_FILENAME -> file(answer, byName.get(asked.getFileByFilename()));
      case FILE_CONTAINING_SYMBOL -> file(answer, bySymbol.get(asked.getFileContainingSymbol()));
      case FILE_CONTAINING_EXTENSION, ALL_EXTENSION_NUMBERS_OF_TYPE, MESSAGEREQUEST_NOT_SET ->
          file(answer, null);
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
      ServerReflectionResponse.Builder answer, @Nullable FileDescriptorResponse found) {
    if (found != null) return answer.setFileDescriptorResponse(found).build();
    return answer
        .setErrorResponse(
            ErrorResponse.newBuilder()
                .setErrorCode(GrpcStatus.NOT_FOUND.code)
                .setErrorMessage("there is no such thing here; list the services to see what is"))
        .build();
  }

  /** A file comes with those that it needs, so that nobody has to ask for them. */
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
