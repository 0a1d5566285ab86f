/** Logback appenders, configured in {@code logback.xml}. Independent of requests and rules. */
@NullMarked
package io.headgate.server.log;

import org.jspecify.annotations.NullMarked;
