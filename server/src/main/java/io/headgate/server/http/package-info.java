/**
 * HTTP: what is asked becomes a request to the limiter, its result becomes an answer.
 *
 * <p>A request is received whole ({@code Exchange}), finds its endpoint ({@code Routes}), is read
 * strictly ({@code JsonReader}, {@code CheckRequestReader}) and answered ({@code CheckResultJson},
 * {@code RateLimitHeaders}). Whatever is wrong with it is a {@code ProblemDocument}, thrown as
 * {@code ProblemException} before anything is charged.
 *
 * <p>Lives here: everything that knows of status codes, headers and JSON bodies. May not: decide
 * whether to allow, read files, know of the command line. No other package knows Vert.x but the one
 * that starts it.
 */
@NullMarked
package io.headgate.server.http;

import org.jspecify.annotations.NullMarked;
