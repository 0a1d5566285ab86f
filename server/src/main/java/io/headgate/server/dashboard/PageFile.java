package io.headgate.server.dashboard;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Map;
import java.util.zip.GZIPOutputStream;

/** A file of the dashboard in memory, plain and compressed with gzip. Immutable. */
public final class PageFile {
  private static final String ANY = "application/octet-stream";
  private static final Map<String, String> TYPES =
      Map.of(
          "html", "text/html; charset=utf-8",
          "js", "text/javascript; charset=utf-8",
          "css", "text/css; charset=utf-8",
          "svg", "image/svg+xml",
          "txt", "text/plain; charset=utf-8");

  private final String mediaType;
  private final String hash;
  private final byte[] plain;
  private final byte[] gzip;

  PageFile(String name, byte[] bytes) {
    this.mediaType = TYPES.getOrDefault(extension(name), ANY);
    this.hash = hash(bytes);
    this.plain = bytes.clone();
    this.gzip = compressed(bytes);
  }

  public String mediaType() {
    return mediaType;
  }

  /** Returns the strong entity tag, which differs between the plain and the compressed form. */
  public String tag(boolean compressed) {
    return "\"" + hash + (compressed ? "-gzip" : "") + "\"";
  }

  /** Returns a copy of the content, compressed with gzip or not. */
  public byte[] bytes(boolean compressed) {
    return compressed ? gzip.clone() : plain.clone();
  }

  private static String extension(String name) {
    return name.substring(name.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT);
  }

  private static String hash(byte[] bytes) {
    try {
      var digest = MessageDigest.getInstance("SHA-256").digest(bytes);
      return HexFormat.of().formatHex(digest, 0, 8);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("the JDK has no SHA-256", e);
    }
  }

  private static byte[] compressed(byte[] bytes) {
    var out = new ByteArrayOutputStream();
    try (var gzip = new GZIPOutputStream(out)) {
      gzip.write(bytes);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return out.toByteArray();
  }
}
