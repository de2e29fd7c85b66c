import { randomBytes } from 'node:crypto'
import { request } from 'node:http'
import { networkInterfaces } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'

// Requests from the website what the authority will request. An order that would fail is not even
// begun, because authorities block a name after a few failures.

// After a reload nginx has old processes for a moment.
const attempts = 5
const pauseMs = 400
const timeoutMs = 3_000
// The right answer has 76 bytes.
const maxBytes = 1_024

/**
 * Returns why this server's websites do not answer for a name, as a sentence; undefined if they do.
 *
 * @param address one of the server's own; no other host is ever contacted
 */
export async function whyUnanswered(
  name: string,
  thumbprint: string,
  { address, port }: { address: string; port: number },
): Promise<string | undefined> {
  const token = randomBytes(16).toString('base64url')
  for (let again = attempts - 1; ; again--) {
    const answer = await ask(name, token, { address, port })
    if (answer === `200 ${token}.${thumbprint}`) return undefined
    if (again === 0) {
      return answer instanceof Error
        ? whyUnreached(name, address, answer)
        : `${name} is not served by this server's websites at ${address}; the answer is ` +
            JSON.stringify(answer.slice(0, 100))
    }
    await sleep(pauseMs)
  }
}

// Behind address translation the public address may be unreachable from inside.
const whyUnreached = (name: string, address: string, error: Error): string | undefined =>
  ownAddresses().includes(address)
    ? `${name} cannot be reached at ${address}: ${error.message}`
    : undefined

/** Returns status and body, or the error. Does not follow redirects. */
function ask(
  name: string,
  token: string,
  { address, port }: { address: string; port: number },
): Promise<string | Error> {
  return new Promise(resolve => {
    const asked = request(
      {
        host: address,
        port,
        path: `/.well-known/acme-challenge/${token}`,
        headers: { host: name, 'user-agent': 'Panel' },
        signal: AbortSignal.timeout(timeoutMs),
        agent: false,
      },
      answer => {
        let text = ''
        answer.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk
          if (text.length > maxBytes) answer.destroy()
        })
        answer.once('error', () => undefined)
        answer.once('close', () => resolve(`${answer.statusCode} ${text}`))
      },
    )
    asked.once('error', resolve)
    asked.end()
  })
}

const ownAddresses = (): string[] =>
  Object.values(networkInterfaces()).flatMap(found => found?.map(({ address }) => address) ?? [])
