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

  private final DataInputStream in = new DataInputStream(System.in);
  private final DataOutputStream out = new DataOutputStream(new BufferedOutputStream(System.out));
  private long insertions;
  private double fpp;
  private int keysAtOnce;
  private BloomFilter<CharSequence> filter;

  public static void main(String[] arguments) throws IOException {
    Membership membership = new Membership();
    int request;
    while ((request = membership.in.read()) >= 0) {
      membership.answer(request);
      membership.out.flush();
    }
  }

  private void answer(int request) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    take(request, new DataOutputStream(bytes));
    out.writeByte(0);
    out.writeInt(bytes.size());
    bytes.writeTo(out);
  }

  private void take(int request, DataOutputStream result) throws IOException {
    switch (request) {
      case 'V':
        String text = version() + "\nOpenJDK " + System.getProperty("java.runtime.version");
        result.write(text.getBytes(StandardCharsets.UTF_8));
        break;
      case 'C':
        insertions = in.readLong();
        fpp = in.readDouble();
        keysAtOnce = (int) in.readLong();
        clear();
        break;
      case 'L':
        byte[] header = new byte[6];
        in.readFully(header);
        load(header, in.readLong());
        break;
      case 'B':
        writeTimed(build(in.readLong(), in.readLong(), in.readInt()), result);
        break;
      case 'P':
        writeTimed(put(in.readLong(), in.readLong(), in.readInt()), result);
        break;
      case 'Q':
        writeTimed(ask(in.readLong(), in.readLong(), in.readInt()), result);
        break;
      default:
        throw new IOException("unknown request " + request);
    }
  }

  /** Nanoseconds, and how often the filter said yes. */
  private static final class Timed {
    long ns;
    long yes;
  }

  private static void writeTimed(Timed timed, DataOutputStream result) throws IOException {
    result.writeLong(timed.ns);
    result.writeLong(timed.yes);
  }

  private static String version() throws IOException {
    Properties properties = new Properties();
    String name = "/META-INF/maven/com.google.guava/guava/pom.properties";
    try (InputStream stream = BloomFilter.class.getResourceAsStream(name)) {
      properties.load(stream);
    }
    return properties.getProperty("version");
  }

  private void clear() {
    // Before the next one is made: the heap need not hold two of the largest.
    filter = null;
    filter = BloomFilter.create(FUNNEL, insertions, fpp);
  }

  /** Makes the filter one of random words, through the stream that Guava reads, which begins with this header. */
  private void load(byte[] header, long seed) throws IOException {
    filter = null;
    filter = BloomFilter.readFrom(new RandomWords(header, seed), FUNNEL);
  }

  /** The header and then numbers of SplitMix64. */
  private static final class RandomWords extends InputStream {
    private final byte[] header;
    private int position;
    private long state;
    private long word;
    private int left;

    RandomWords(byte[] header, long seed) {
      this.header = header;
      this.state = seed;
    }

    @Override
    public int read() {
      if (position < header.length) {
        return header[position++] & 0xff;
      }
      if (left == 0) {
        state += 0x9e3779b97f4a7c15L;
        word = mix(state);
        left = 8;
      }
      left--;
      return (int) (word >>> 8 * left) & 0xff;
    }
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

  private static void fill(String[] keys, long first) {
    for (int i = 0; i < keys.length; i++) {
      keys[i] = key(first + i);
    }
  }

  /** An empty filter, and all keys into it; as often as is asked. */
  private Timed build(long first, long count, int times) {
    Timed timed = new Timed();
    for (int i = 0; i < times; i++) {
      clear();
      put(first, count, timed);
    }
    return timed;
  }

  private Timed put(long first, long count, int times) {
    Timed timed = new Timed();
    for (int i = 0; i < times; i++) {
      put(first, count, timed);
    }
    return timed;
  }

  private void put(long first, long count, Timed timed) {
    for (long done = 0; done < count; done += keysAtOnce) {
      String[] keys = new String[(int) Math.min(keysAtOnce, count - done)];
      fill(keys, first + done);
      long start = System.nanoTime();
      long changed = putAll(filter, keys);
      timed.ns += System.nanoTime() - start;
      timed.yes += changed;
    }
  }

  private static long putAll(BloomFilter<CharSequence> filter, String[] keys) {
    long changed = 0;
    for (String key : keys) {
      changed += filter.put(key) ? 1 : 0;
    }
    return changed;
  }

  private Timed ask(long first, long count, int times) {
    Timed timed = new Timed();
    for (int i = 0; i < times; i++) {
      for (long done = 0; done < count; done += keysAtOnce) {
        String[] keys = new String[(int) Math.min(keysAtOnce, count - done)];
        fill(keys, first + done);
        long start = System.nanoTime();
        long found = askAll(filter, keys);
        timed.ns += System.nanoTime() - start;
        timed.yes += found;
      }
    }
    return timed;
  }

  private static long askAll(BloomFilter<CharSequence> filter, String[] keys) {
    long found = 0;
    for (String key : keys) {
      found += filter.mightContain(key) ? 1 : 0;
    }
    return found;
  }
}
