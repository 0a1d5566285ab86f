package io.headgate.server.cli;

import io.headgate.server.cli.output.CommandContext;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.Map;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** The slot that a command renews or releases, and the service. */
final class SlotOptions {
  @Mixin private ServiceApi service;

  @Parameters(paramLabel = "ID", description = "The id that headgate slots acquire printed.")
  private String id = "";

  /**
   * Sends a request about the slot and prints the result.
   *
   * @return the exit code; 1 if the slot has expired or was released
   * @throws io.headgate.server.cli.output.CommandFailure on all other errors
   */
  int send(CommandContext context, ServiceClient client, String method, String done) {
    return send(context, client, method, "", done);
  }

  /**
   * Sends a request with parameters as {@link #send(CommandContext, ServiceClient, String, String)}
   * does.
   *
   * @param query the query string with its question mark; empty for none
   */
  int send(CommandContext context, ServiceClient client, String method, String query, String done) {
    try {
      var path = "/v1/slots/" + ServiceApi.encoded(id) + query;
      var answer = service.send(client, method, path, Map.of(), BodyPublishers.noBody());
      if (!service.json()) context.out().println(done);
      else if (answer.json().isPresent()) context.out().println(answer.body());
      return Main.OK;
    } catch (ServiceApi.RejectedException e) {
      if (e.status() != 404) throw e.asFailure();
      context.err().println("headgate: " + e.getMessage());
      return Main.NO;
    }
  }
}
