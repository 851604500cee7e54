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
 * and its operands; an answer is the byte 0, the number of bytes of the result, and the result. There is one filter at a
 * time. The program times its own loops, over keys that are there before the clock starts. The end of
 * the input ends the program.
 */
final class Membership {
  private static final Funnel<CharSequence> FUNNEL = Funnels.stringFunnel(StandardCharsets.UTF_8);

  /** The keys that are made and then timed together, as in {@code keys.rs}. */
  private static final int KEYS_AT_ONCE = 1 << 14;

  private final DataInputStream in = new DataInputStream(System.in);
  private final DataOutputStream out = new DataOutputStream(new BufferedOutputStream(System.out));
  private BloomFilter<CharSequence> filter;

  public static void main(String[] arguments) throws IOException {
    Membership membership = new Membership();
    int request;
    while ((request = membership.in.read()) >= 0) {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      membership.take(request, new DataOutputStream(bytes));
      membership.out.writeByte(0);
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
        work(request == 'P', in.readLong(), in.readLong(), result);
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

  private static long mix(long z) {
    z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
    z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
    return z ^ (z >>> 31);
  }

  /** Key number {@code index}: SplitMix64's number of that index, seed 1, as 16 hexadecimal digits, lowest first. */
  private static String key(long index) {
    long number = mix(1 + (index + 1) * 0x9e3779b97f4a7c15L);
    byte[] digits = new byte[16];
    for (int i = 0; i < digits.length; i++) {
      digits[i] = (byte) "0123456789abcdef".charAt((int) (number >>> 4 * i) & 15);
    }
    return new String(digits, StandardCharsets.ISO_8859_1);
  }

  /** Puts keys, or queries them; the result is nanoseconds, and the number of positive answers. */
  private void work(boolean isPut, long first, long count, DataOutputStream result) throws IOException {
    long ns = 0;
    long yes = 0;
    for (long done = 0; done < count; done += KEYS_AT_ONCE) {
      String[] keys = new String[(int) Math.min(KEYS_AT_ONCE, count - done)];
      for (int i = 0; i < keys.length; i++) {
        keys[i] = key(first + done + i);
      }
      long start = System.nanoTime();
      long positive = isPut ? putAll(filter, keys) : queryAll(filter, keys);
      ns += System.nanoTime() - start;
      yes += positive;
    }
    result.writeLong(ns);
    result.writeLong(yes);
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
