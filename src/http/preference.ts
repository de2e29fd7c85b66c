/** The time a caller waits for work, and whether a 504 or a 202 with the job follows. */
export type Preference = { waitMs: number; isAsync: boolean; applied: string | undefined }

/** The default and the maximum of the time that a caller waits. */
export const maxWaitMs = 60_000

/** Reads `Prefer: respond-async` and `wait=N`, in seconds (RFC 7240); ignores everything else. */
export function readPreference(headers: string[] = []): Preference {
  const preferences = headers
    .flatMap(header => header.split(','))
    .map(part => part.split(';', 1)[0]!.trim().toLowerCase())
  const isAsync = preferences.includes('respond-async')
  const wait = preferences.find(part => /^wait *= *"?[0-9]{1,9}"?$/.test(part))
  const requestedMs = wait === undefined ? undefined : Number(wait.replace(/[^0-9]/g, '')) * 1000
  const waitMs = Math.min(requestedMs ?? (isAsync ? 0 : maxWaitMs), maxWaitMs)
  const applied = [
    isAsync ? 'respond-async' : '',
    wait === undefined ? '' : `wait=${waitMs / 1000}`,
  ]
  return {
    waitMs,
    isAsync,
    applied: applied.filter(text => text !== '').join(', ') || undefined,
  }
}
