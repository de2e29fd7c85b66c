import acme from 'acme-client'
import { z } from 'zod'
import { chainIn } from './chain.ts'
import { renewalAddress } from './renewal.ts'

// Orders certificates by ACME (RFC 8555), through a library.

Object.assign(acme.axios.defaults, {
  timeout: 30_000,
  // Orders and certificates are a few KiB.
  maxContentLength: 1_048_576,
  // The directory names all further addresses.
  maxRedirects: 0,
  // Failures are repeated on the certificate's own schedule: the library's retries would wait as
  // long as the authority asks for.
  acmeSettings: { retryMaxAttempts: 0 },
})

// How authorities refuse what an order replaces: it was replaced already (RFC 9773, section 5),
// they do not know it or it has other names, or another account has ordered it.
const problem = z.object({
  type: z.templateLiteral([
    'urn:ietf:params:acme:error:',
    z.enum(['alreadyReplaced', 'malformed', 'unauthorized']),
  ]),
  detail: z.string().default(''),
})

class NotReplaced extends Error {}

// The library passes on a refusal's words, and not its type (RFC 8555, section 6.7).
acme.axios.interceptors.response.use(answer => {
  const { data } = problem.safeParse(answer.data)
  if (answer.status >= 400 && data !== undefined) throw new NotReplaced(data.detail || data.type)
  return answer
})

// Authorities take seconds; one that takes longer hangs.
const limitMs = 180_000

/**
 * Orders the certificate of a request (PEM) and returns its chain (PEM). Where the authority knows
 * of renewals, it is told which certificate is replaced: it may count such an order less.
 */
export async function order(
  directory: string,
  key: Buffer,
  request: string,
  replaces: string | null,
): Promise<string> {
  const client = new acme.Client({
    directoryUrl: directory,
    accountKey: key,
    // Seconds between polls: 1, 2, 4, 8, 10, 10, …
    backoffAttempts: 15,
    backoffMin: 1_000,
    backoffMax: 10_000,
  })
  const late = Promise.withResolvers<never>()
  const limit = setTimeout(
    () => late.reject(new Error('The authority did not finish the order in time')),
    limitMs,
  )
  try {
    const obtained = replacing(directory, client, replaces).then(() => obtain(client, request))
    return chainIn(await Promise.race([obtained, late.promise]))
  } finally {
    clearTimeout(limit)
  }
}

async function obtain(client: acme.Client, request: string): Promise<string> {
  await register(client)
  return client.auto({
    csr: request,
    challengePriority: ['http-01'],
    // The websites answer every challenge of the account already, which the probe has checked.
    challengeCreateFn: async () => undefined,
    challengeRemoveFn: async () => undefined,
    skipChallengeVerification: true,
  })
}

/** Has orders say what they replace (RFC 9773, section 5), which the library does not know of. */
async function replacing(directory: string, client: acme.Client, replaces: string | null) {
  if (replaces === null) return
  if ((await renewalAddress(directory).catch(() => undefined)) === undefined) return
  const create = client.createOrder.bind(client)
  client.createOrder = async data => {
    const renewing = { ...data, replaces }
    return create(renewing).catch((error: unknown) => {
      if (!(error instanceof NotReplaced)) throw error
      // An order like any other then.
      return create(data)
    })
  }
}

// Looked up at each order: a stored account address would be wrong once the authority forgets it,
// or another authority is chosen.
async function register(client: acme.Client): Promise<void> {
  try {
    await client.createAccount({ onlyReturnExisting: true })
  } catch {
    // Whoever names an authority in the settings agrees to its terms (docs/reference).
    await client.createAccount({ termsOfServiceAgreed: true })
  }
}
