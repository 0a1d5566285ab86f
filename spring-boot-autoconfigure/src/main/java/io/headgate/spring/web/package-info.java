/** Parts that Spring MVC, WebFlux and annotated methods share: path patterns, proxies, checks. */
@NullMarked
package io.headgate.spring.web;

import org.jspecify.annotations.NullMarked;
