package com.google.common.hash;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Does trials with Guava's filters: fills a filter, reads the other side's stream of it, and continues from there.
 *
 * <p>A trial comes on standard input, all numbers big-endian; its answer goes to standard output: the byte 0 and the result,
 * or the byte 1 and the text of what was thrown, each after the number of its bytes. The end of the input ends the program.
 *
 * <p>It lies in Guava's package because the choice of a strategy is visible there only.
 */
final class Trial {
  private static final List<Funnel<?>> FUNNELS =
      List.of(
          Funnels.stringFunnel(StandardCharsets.UTF_8),
          Funnels.unencodedCharsFunnel(),
          Funnels.integerFunnel(),
          Funnels.longFunnel(),
          Funnels.byteArrayFunnel(),
          Funnels.sequentialFunnel(Funnels.stringFunnel(StandardCharsets.UTF_8)));

  public static void main(String[] arguments) throws IOException {
    DataInputStream in = new DataInputStream(new BufferedInputStream(System.in));
    DataOutputStream out = new DataOutputStream(new BufferedOutputStream(System.out));
    int strategy;
    while ((strategy = in.read()) >= 0) {
      ByteArrayOutputStream answer = new ByteArrayOutputStream();
      boolean hasThrown = false;
      int funnel = in.readUnsignedByte();
      long insertions = in.readLong();
      double rate = in.readDouble();
      // The whole trial is read before anything may throw, so that the next one is read from its start.
      List<Object> first = elements(funnel, in);
      List<Object> second = elements(funnel, in);
      List<Object> queried = elements(funnel, in);
      byte[] stream = bytes(in);
      try {
        DataOutputStream result = new DataOutputStream(answer);
        @SuppressWarnings("unchecked")
        Funnel<Object> of = (Funnel<Object>) FUNNELS.get(funnel);
        BloomFilter<Object> filter =
            BloomFilter.create(of, insertions, rate, BloomFilterStrategies.values()[strategy]);
        result.writeLong(filter.bitSize());
        put(filter, first, result);
        filter.writeTo(result);
        BloomFilter<Object> read = BloomFilter.readFrom(new ByteArrayInputStream(stream), of);
        put(read, second, result);
        for (Object element : queried) {
          result.writeBoolean(read.mightContain(element));
        }
        read.writeTo(result);
        result.writeLong(count(read));
      } catch (IOException | RuntimeException thrown) {
        hasThrown = true;
        answer.reset();
        answer.write(thrown.toString().getBytes(StandardCharsets.UTF_8));
      }
      out.writeBoolean(hasThrown);
      out.writeInt(answer.size());
      answer.writeTo(out);
      out.flush();
    }
  }

  private static void put(BloomFilter<Object> filter, List<Object> elements, DataOutputStream result)
      throws IOException {
    for (Object element : elements) {
      result.writeBoolean(filter.put(element));
    }
  }

  /** The number of elements; -1 if all bits are set, which Guava refuses to estimate. */
  private static long count(BloomFilter<Object> filter) {
    try {
      return filter.approximateElementCount();
    } catch (ArithmeticException thrown) {
      return -1;
    }
  }

  private static List<Object> elements(int funnel, DataInputStream in) throws IOException {
    int count = in.readInt();
    List<Object> elements = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      elements.add(decode(funnel, bytes(in)));
    }
    return elements;
  }

  private static byte[] bytes(DataInputStream in) throws IOException {
    byte[] bytes = new byte[in.readInt()];
    in.readFully(bytes);
    return bytes;
  }

  /** An element from its bytes: UTF-16 units, one number, bytes as they are, or items each after its length. */
  private static Object decode(int funnel, byte[] bytes) throws IOException {
    DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
    switch (funnel) {
      case 2:
        return in.readInt();
      case 3:
        return in.readLong();
      case 4:
        return bytes;
      case 5:
        List<Object> items = new ArrayList<>();
        while (in.available() > 0) {
          items.add(string(bytes(in)));
        }
        return items;
      default:
        return string(bytes);
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
