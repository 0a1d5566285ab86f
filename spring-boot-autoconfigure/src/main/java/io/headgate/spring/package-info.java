/**
 * Auto-configuration of a {@link io.headgate.RateLimiter} for Spring Boot: properties, rules from
 * files, properties and beans, and the store. The packages below it limit requests of Spring MVC,
 * WebFlux and Spring Cloud Gateway, and calls of annotated methods.
 */
@NullMarked
package io.headgate.spring;

import org.jspecify.annotations.NullMarked;
