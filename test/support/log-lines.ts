import type { Test } from 'tap'

/** Captures the log of this process until the test ends; returns its lines. */
export function logLines(t: Test): () => Record<string, unknown>[] {
  const written: string[] = []
  const write = process.stdout.write
  process.stdout.write = ((chunk: string | Uint8Array, ...rest: unknown[]) => {
    const text = String(chunk)
    if (!text.startsWith('{"time"')) return write.call(process.stdout, chunk, ...(rest as []))
    written.push(text)
    return true
  }) as typeof process.stdout.write
  t.teardown(() => void (process.stdout.write = write))
  return () => written.map(line => JSON.parse(line))
}
