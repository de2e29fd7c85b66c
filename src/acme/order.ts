import acme from 'acme-client'

// The conversation with a certificate authority (RFC 8555), held by a library.

Object.assign(acme.axios.defaults, {
  timeout: 30_000,
  // Orders and certificates are a few KiB.
  maxContentLength: 1_048_576,
  // A directory names its own addresses.
  maxRedirects: 0,
  // What is not answered, or answered with a refusal, is tried again by the certificate's own
  // schedule: the library's retries would wait as long as the other side asks for.
  acmeSettings: { retryMaxAttempts: 0 },
})

// Authorities take seconds; beyond this somebody is stuck.
const limitMs = 180_000

/** Orders what the request (PEM) asks for and returns the chain as PEM. */
export async function order(directory: string, key: Buffer, request: string): Promise<string> {
  const client = new acme.Client({
    directoryUrl: directory,
    accountKey: key,
    // 1, 2, 4, 8, 10, 10, … seconds between looks at what the authority is at.
    backoffAttempts: 15,
    backoffMin: 1_000,
    backoffMax: 10_000,
  })
  const late = Promise.withResolvers<never>()
  const limit = setTimeout(
    () => late.reject(new Error('The authority did not come to an end')),
    limitMs,
  )
  try {
    return await Promise.race([obtain(client, request), late.promise])
  } finally {
    clearTimeout(limit)
  }
}

async function obtain(client: acme.Client, request: string): Promise<string> {
  await register(client)
  return client.auto({
    csr: request,
    challengePriority: ['http-01'],
    // The websites answer every challenge of the account already, as the probe has seen.
    challengeCreateFn: async () => undefined,
    challengeRemoveFn: async () => undefined,
    skipChallengeVerification: true,
  })
}

// Asked each time: an address of the account that we remembered would only be of use until the
// authority forgets it, or another one is chosen.
async function register(client: acme.Client): Promise<void> {
  try {
    await client.createAccount({ onlyReturnExisting: true })
  } catch {
    // Whoever names an authority in the settings agrees to its terms (docs/reference).
    await client.createAccount({ termsOfServiceAgreed: true })
  }
}
