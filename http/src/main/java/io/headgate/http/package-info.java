/**
 * Decisions in HTTP, for the service and for filters of web frameworks: rate-limit header fields,
 * the status and problem document of a denial, the client address behind trusted proxies, and
 * attributes from text that clients choose. Depends on no server.
 */
@NullMarked
package io.headgate.http;

import org.jspecify.annotations.NullMarked;
