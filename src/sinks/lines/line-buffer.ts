/** Where a writer puts its bytes. */
export interface ByteTarget {
  /** When this resolves, the memory of the bytes may be used for others. */
  write(bytes: Uint8Array): Promise<void>;
}

export interface LineBuffer {
  /** A promise is to be awaited before the next line. */
  add(line: string): Promise<void> | undefined;
  flush(): Promise<void>;
  /** Bytes of all lines so far. */
  bytes(): number;
}

const bufferBytes = 512 * 1_024;

/**
 * Gathers lines as bytes. Each line is encoded at once: a text of many lines would have wide characters as soon as
 * one line has. While one buffer is written, the next is filled.
 */
export function openLineBuffer(target: ByteTarget): LineBuffer {
  let bytes = Buffer.allocUnsafeSlow(bufferBytes);
  let spare: typeof bytes | undefined;
  let end = 0;
  let flushed = 0;
  let writing: Promise<void> = Promise.resolve();

  const flush = async () => {
    await writing;
    if (end === 0) return;
    const full = bytes;
    writing = target.write(full.subarray(0, end));
    // A failure is thrown by the next flush.
    writing.catch(() => {});
    bytes = spare ?? Buffer.allocUnsafeSlow(bufferBytes);
    spare = full;
    flushed += end;
    end = 0;
  };
  const addLong = async (line: string) => {
    await flush();
    await writing;
    const whole = Buffer.from(line);
    flushed += whole.length;
    await target.write(whole);
  };
  return {
    add(line) {
      // A UTF-16 unit takes three bytes at most.
      const most = line.length * 3;
      if (most > bufferBytes) return addLong(line);
      if (end + most > bufferBytes) {
        return flush().then(() => {
          end = bytes.write(line);
        });
      }
      end += bytes.write(line, end);
      return undefined;
    },
    async flush() {
      await flush();
      await writing;
    },
    bytes: () => flushed + end,
  };
}
