/**
 * A filter for Jakarta Servlet 6 containers. {@link io.headgate.servlet.HeadgateFilter} decides
 * each request; {@link io.headgate.servlet.SubjectResolver} maps it to a subject.
 */
@NullMarked
package io.headgate.servlet;

import org.jspecify.annotations.NullMarked;
