import acme from 'acme-client'
import { z } from 'zod'
import { NamesRefused } from '../model/certificates/authority.ts'
import { chainIn } from './chain.ts'
import { renewalAddress } from './renewal.ts'

// Orders certificates by ACME (RFC 8555), through a library.

Object.assign(acme.axios.defaults, {
  timeout: 30_000,
  // Orders and certificates are a few KiB.
  maxContentLength: 1_048_576,
  // The directory names all further addresses.
  maxRedirects: 0,
  // Failures are retried on the certificate's own schedule: the library would wait as long as the
  // authority asks for.
  acmeSettings: { retryMaxAttempts: 0 },
})

// The ways in which authorities refuse a replacing order: the certificate was already replaced (RFC
// 9773, section 5), is unknown or has other names, or was ordered by another account.
const problem = z.object({
  type: z.templateLiteral([
    'urn:ietf:params:acme:error:',
    z.enum(['alreadyReplaced', 'malformed', 'unauthorized']),
  ]),
  detail: z.string().default(''),
})

class NotReplaced extends Error {}

// The library passes on a refusal's text, but not its type (RFC 8555, section 6.7).
acme.axios.interceptors.response.use(answer => {
  const { data } = problem.safeParse(answer.data)
  if (answer.status >= 400 && data !== undefined) throw new NotReplaced(data.detail || data.type)
  return answer
})

// Authorities take seconds; one that takes longer hangs.
const limitMs = 180_000

/**
 * Orders the certificate for a request (PEM) and returns its chain (PEM). If the authority supports
 * renewal information, the order names the certificate that it replaces: it may count such an order
 * less.
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
  // The library's errors do not contain the refused name.
  const names = new Map<string, string>()
  const wait = client.waitForValidStatus.bind(client)
  client.waitForValidStatus = async item => {
    const name = names.get(withUrl.safeParse(item).data?.url ?? '')
    return wait(item).catch((error: unknown) => {
      throw name === undefined ? error : new NamesRefused([name], toText(error))
    })
  }
  return client.auto({
    csr: request,
    challengePriority: ['http-01'],
    // The websites already answer every challenge for the account, which the probe has checked.
    challengeCreateFn: async ({ identifier }, challenge) => {
      names.set(challenge.url, identifier.value)
    },
    challengeRemoveFn: async () => undefined,
    skipChallengeVerification: true,
  })
}

const withUrl = z.object({ url: z.string() })

const toText = (error: unknown): string => (error instanceof Error ? error.message : `${error}`)

/**
 * Adds the replaced certificate to an order (RFC 9773, section 5), which the library does not
 * support.
 */
async function replacing(directory: string, client: acme.Client, replaces: string | null) {
  if (replaces === null) return
  if ((await renewalAddress(directory).catch(() => undefined)) === undefined) return
  const create = client.createOrder.bind(client)
  client.createOrder = async data => {
    const renewing = { ...data, replaces }
    return create(renewing).catch((error: unknown) => {
      if (!(error instanceof NotReplaced)) throw error
      // Retry as an ordinary order.
      return create(data)
    })
  }
}

// The account is looked up for each order: a stored account address would be wrong once the
// authority forgets it, or another authority is chosen.
async function register(client: acme.Client): Promise<void> {
  try {
    await client.createAccount({ onlyReturnExisting: true })
  } catch {
    // By setting an authority, the administrator agrees to its terms (docs/reference).
    await client.createAccount({ termsOfServiceAgreed: true })
  }
}
