import com.google.common.hash.BloomFilter;
import com.google.common.hash.Funnel;
import com.google.common.hash.Funnels;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Properties;

/**
 * Guava's part of the benchmark.
 *
 * <p>Requests come on standard input and are answered on standard output, all numbers big-endian. A request is one byte
 * and its operands; an answer is the number of bytes of the result, and the result. There is one filter at a time. The
 * program times its own loops, over keys that are there before the clock starts. The end of the input ends the program.
 */
final class Membership {
  private static final Funnel<CharSequence> FUNNEL = Funnels.stringFunnel(StandardCharsets.UTF_8);

  /** The bytes of a key. */
  private static final int KEY_LENGTH = 16;

  private final DataInputStream in = new DataInputStream(System.in);
  private final DataOutputStream out = new DataOutputStream(new BufferedOutputStream(System.out));
  private BloomFilter<CharSequence> filter;

  public static void main(String[] arguments) throws IOException {
    Membership membership = new Membership();
    int request;
    while ((request = membership.in.read()) >= 0) {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      membership.take(request, new DataOutputStream(bytes));
      membership.out.writeInt(bytes.size());
      bytes.writeTo(membership.out);
      membership.out.flush();
    }
  }

  private void take(int request, DataOutputStream result) throws IOException {
    switch (request) {
      case 'V':
        String text = version() + "\nOpenJDK " + System.getProperty("java.runtime.version");
        result.write(text.getBytes(StandardCharsets.UTF_8));
        break;
      case 'C':
        // Before the next one is made: the heap need not hold two of the largest.
        filter = null;
        filter = BloomFilter.create(FUNNEL, in.readLong(), in.readDouble());
        break;
      case 'L':
        filter = null;
        filter = BloomFilter.readFrom(in, FUNNEL);
        break;
      case 'P':
      case 'Q':
        work(request == 'P', result);
        break;
      default:
        throw new IOException("unknown request " + request);
    }
  }

  private static String version() throws IOException {
    Properties properties = new Properties();
    String name = "/META-INF/maven/com.google.guava/guava/pom.properties";
    try (InputStream stream = BloomFilter.class.getResourceAsStream(name)) {
      properties.load(stream);
    }
    return properties.getProperty("version");
  }

  /** Puts keys, or queries them; the result is nanoseconds, and the number of positive answers. */
  private void work(boolean isPut, DataOutputStream result) throws IOException {
    String[] keys = new String[in.readInt()];
    byte[] bytes = new byte[KEY_LENGTH];
    for (int i = 0; i < keys.length; i++) {
      in.readFully(bytes);
      keys[i] = new String(bytes, StandardCharsets.ISO_8859_1);
    }
    long start = System.nanoTime();
    long positive = isPut ? putAll(filter, keys) : queryAll(filter, keys);
    result.writeLong(System.nanoTime() - start);
    result.writeLong(positive);
  }

  private static long putAll(BloomFilter<CharSequence> filter, String[] keys) {
    long changed = 0;
    for (String key : keys) {
      changed += filter.put(key) ? 1 : 0;
    }
    return changed;
  }

  private static long queryAll(BloomFilter<CharSequence> filter, String[] keys) {
    long found = 0;
    for (String key : keys) {
      found += filter.mightContain(key) ? 1 : 0;
    }
    return found;
  }
}
