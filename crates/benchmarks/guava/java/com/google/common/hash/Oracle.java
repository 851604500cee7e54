package com.google.common.hash;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32;
import java.util.zip.CheckedOutputStream;

/**
 * Does with Guava's filters what the tests ask for.
 *
 * <p>Requests come on standard input and are answered on standard output, all numbers big-endian. A request is one byte
 * and its operands; an answer is the byte 0 and the result, or the byte 1 and the text of what was thrown, each after the
 * number of its bytes. Filters live in numbered slots. The end of the input ends the program.
 *
 * <p>It lies in Guava's package because sizing and the choice of a strategy are visible there only.
 */
final class Oracle {
  private static final List<Funnel<?>> FUNNELS =
      List.of(
          Funnels.stringFunnel(StandardCharsets.UTF_8),
          Funnels.unencodedCharsFunnel(),
          Funnels.integerFunnel(),
          Funnels.longFunnel(),
          Funnels.byteArrayFunnel(),
          Funnels.sequentialFunnel(Funnels.stringFunnel(StandardCharsets.UTF_8)),
          Funnels.sequentialFunnel(Funnels.integerFunnel()));

  private static final class Slot {
    final int funnel;
    final BloomFilter<Object> filter;

    Slot(int funnel, BloomFilter<Object> filter) {
      this.funnel = funnel;
      this.filter = filter;
    }
  }

  private final Map<Integer, Slot> slots = new HashMap<>();
  private final DataInputStream in;
  private final DataOutputStream out;

  private Oracle(DataInputStream in, DataOutputStream out) {
    this.in = in;
    this.out = out;
  }

  public static void main(String[] arguments) throws IOException {
    Oracle oracle =
        new Oracle(
            new DataInputStream(new BufferedInputStream(System.in)),
            new DataOutputStream(new BufferedOutputStream(System.out)));
    int request;
    while ((request = oracle.in.read()) >= 0) {
      oracle.answer(request);
      oracle.out.flush();
    }
  }

  /** Takes the whole request before it does anything that may throw, so that the next one is read from its start. */
  private void answer(int request) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream result = new DataOutputStream(bytes);
    Work work = take(request);
    boolean hasThrown = false;
    try {
      work.run(result);
    } catch (IOException | RuntimeException | OutOfMemoryError thrown) {
      hasThrown = true;
      bytes.reset();
      result.write((thrown.getClass().getSimpleName() + ": " + thrown.getMessage()).getBytes(StandardCharsets.UTF_8));
    }
    out.writeBoolean(hasThrown);
    out.writeInt(bytes.size());
    bytes.writeTo(out);
  }

  private interface Work {
    void run(DataOutputStream result) throws IOException;
  }

  private Work take(int request) throws IOException {
    switch (request) {
      case 'S':
        return sizing(in.readLong(), in.readDouble());
      case 'C':
        return create(in.readInt(), in.readUnsignedByte(), in.readUnsignedByte(), in.readLong(), in.readDouble());
      case 'P':
        return put(in.readInt(), elements());
      case 'Q':
        return query(in.readInt(), elements());
      case 'F':
        return fpp(in.readInt());
      case 'N':
        return count(in.readInt());
      case 'W':
        return write(in.readInt());
      case 'H':
        return fingerprint(in.readInt());
      case 'R':
        return read(in.readInt(), in.readUnsignedByte(), bytes());
      case 'I':
        return isCompatible(in.readInt(), in.readInt());
      case 'A':
        return putAll(in.readInt(), in.readInt());
      default:
        throw new IOException("unknown request " + request);
    }
  }

  /** Bits and probe count, without a filter. */
  private Work sizing(long insertions, double fpp) {
    return result -> {
      long bits = BloomFilter.optimalNumOfBits(insertions, fpp);
      result.writeLong(bits);
      result.writeInt(BloomFilter.optimalNumOfHashFunctions(insertions, bits));
    };
  }

  private Work create(int slot, int strategy, int funnel, long insertions, double fpp) {
    return result -> {
      BloomFilter<Object> filter =
          BloomFilter.create(funnel(funnel), insertions, fpp, BloomFilterStrategies.values()[strategy]);
      slots.put(slot, new Slot(funnel, filter));
      result.writeLong(filter.bitSize());
    };
  }

  private Work put(int slot, List<byte[]> elements) {
    return result -> {
      Slot to = slots.get(slot);
      for (byte[] element : elements) {
        result.writeBoolean(to.filter.put(decode(to.funnel, element)));
      }
    };
  }

  private Work query(int slot, List<byte[]> elements) {
    return result -> {
      Slot of = slots.get(slot);
      for (byte[] element : elements) {
        result.writeBoolean(of.filter.mightContain(decode(of.funnel, element)));
      }
    };
  }

  private Work fpp(int slot) {
    return result -> result.writeDouble(slots.get(slot).filter.expectedFpp());
  }

  private Work count(int slot) {
    return result -> result.writeLong(slots.get(slot).filter.approximateElementCount());
  }

  private Work write(int slot) {
    return result -> slots.get(slot).filter.writeTo(result);
  }

  /** CRC-32 of the stream, for one that is too long to be sent. */
  private Work fingerprint(int slot) {
    return result -> {
      CheckedOutputStream stream = new CheckedOutputStream(OutputStream.nullOutputStream(), new CRC32());
      try (OutputStream buffered = new BufferedOutputStream(stream)) {
        slots.get(slot).filter.writeTo(buffered);
      }
      result.writeLong(stream.getChecksum().getValue());
    };
  }

  /** Answers with the number of bytes that were left. */
  private Work read(int slot, int funnel, byte[] bytes) {
    return result -> {
      ByteArrayInputStream stream = new ByteArrayInputStream(bytes);
      BloomFilter<Object> filter = BloomFilter.readFrom(stream, funnel(funnel));
      slots.put(slot, new Slot(funnel, filter));
      result.writeInt(stream.available());
    };
  }

  private Work isCompatible(int slot, int other) {
    return result -> result.writeBoolean(slots.get(slot).filter.isCompatible(slots.get(other).filter));
  }

  private Work putAll(int slot, int other) {
    return result -> slots.get(slot).filter.putAll(slots.get(other).filter);
  }

  @SuppressWarnings("unchecked")
  private static Funnel<Object> funnel(int number) {
    return (Funnel<Object>) FUNNELS.get(number);
  }

  private List<byte[]> elements() throws IOException {
    int count = in.readInt();
    List<byte[]> elements = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      elements.add(bytes());
    }
    return elements;
  }

  private byte[] bytes() throws IOException {
    byte[] bytes = new byte[in.readInt()];
    in.readFully(bytes);
    return bytes;
  }

  /** An element from its bytes: UTF-16 units, one number, bytes as they are, or items each after its length. */
  private static Object decode(int funnel, byte[] bytes) throws IOException {
    DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
    switch (funnel) {
      case 0:
      case 1:
        return string(bytes);
      case 2:
        return in.readInt();
      case 3:
        return in.readLong();
      case 4:
        return bytes;
      case 5:
      case 6:
        List<Object> items = new ArrayList<>();
        while (in.available() > 0) {
          byte[] item = new byte[in.readInt()];
          in.readFully(item);
          items.add(decode(funnel == 5 ? 0 : 2, item));
        }
        return items;
      default:
        throw new IOException("unknown funnel " + funnel);
    }
  }

  /** Any units, lone surrogates too, which a decoder of UTF-16 would replace. */
  private static String string(byte[] bytes) {
    StringBuilder text = new StringBuilder(bytes.length / 2);
    for (int i = 0; i + 1 < bytes.length; i += 2) {
      text.append((char) (bytes[i] << 8 | bytes[i + 1] & 0xff));
    }
    return text.toString();
  }
}
