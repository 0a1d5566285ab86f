/** What the filters for Spring MVC and WebFlux share: path patterns and the response to a denial. */
@NullMarked
package io.headgate.spring.web;

import org.jspecify.annotations.NullMarked;
