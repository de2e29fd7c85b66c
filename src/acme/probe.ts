import { randomBytes } from 'node:crypto'
import { request } from 'node:http'
import { networkInterfaces } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'

// Asks what the authority is going to ask, so that it is not bothered with what must fail: it takes
// few failures of a name before it refuses to look again.

// An nginx that has been told of its configuration a moment ago has old processes for a while.
const tries = 5
const pauseMs = 400
const timeoutMs = 3_000
// A right answer has 76 bytes.
const maxBytes = 1_024

/**
 * Why a name is not answered by this server's websites, as a sentence; undefined where it is.
 *
 * @param address one of the server's own, asked under the name: no other host is ever asked
 */
export async function whyUnanswered(
  name: string,
  thumbprint: string,
  { address, port }: { address: string; port: number },
): Promise<string | undefined> {
  const token = randomBytes(16).toString('base64url')
  for (let again = tries - 1; ; again--) {
    const answer = await ask(name, token, { address, port })
    if (answer === `200 ${token}.${thumbprint}`) return undefined
    if (again === 0) {
      return answer instanceof Error
        ? whyUnreached(name, address, answer)
        : `${name} is not answered by this server's websites at ${address}, but with ` +
            JSON.stringify(answer.slice(0, 100))
    }
    await sleep(pauseMs)
  }
}

// An address that is translated on its way here may be out of reach from inside.
const whyUnreached = (name: string, address: string, error: Error): string | undefined =>
  ownAddresses().includes(address)
    ? `${name} cannot be reached at ${address}: ${error.message}`
    : undefined

/** Status and body, or what went wrong. A redirect is an answer like any other. */
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
