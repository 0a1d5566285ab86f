/**
 * The HTTP API: maps HTTP requests to calls of the rate limiter and results to responses.
 *
 * <p>A request is received completely ({@code Exchange}), routed ({@code Routes}), parsed strictly
 * ({@code JsonReader}, {@code CheckRequestReader}) and answered ({@code CheckResultJson}, {@code
 * RateLimitHeaders}). An invalid request is reported as a {@code ProblemDocument}, thrown as {@code
 * ProblemException} before anything is charged.
 *
 * <p>Contains all code that handles status codes, headers and JSON bodies. Does not decide
 * requests, read files or parse the command line. Vert.x is also used by {@code
 * io.headgate.server.api}, {@code io.headgate.server.grpc} and the classes of {@code
 * io.headgate.server} that start the service.
 */
@NullMarked
package io.headgate.server.http;

import org.jspecify.annotations.NullMarked;
