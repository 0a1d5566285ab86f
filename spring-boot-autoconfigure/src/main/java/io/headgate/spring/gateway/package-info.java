/** A rate limiter for the filter {@code RequestRateLimiter} of Spring Cloud Gateway. */
@NullMarked
package io.headgate.spring.gateway;

import org.jspecify.annotations.NullMarked;
