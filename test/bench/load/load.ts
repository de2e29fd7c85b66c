import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { freshKey, type Load, type LoadJob } from './job.ts'

export type Generator = AsyncDisposable & { run: (job: LoadJob) => Promise<Load> }

/** Starts the load generator; it runs one job at a time. */
export function startGenerator(): Generator {
  const child = fork(join(import.meta.dirname, 'generator.ts'), { env: {} })
  const exited = once(child, 'exit')
  return {
    async run(job) {
      child.send(job)
      const [answer] = (await Promise.race([once(child, 'message'), exited])) as [
        { load: Load } | { error: string } | number,
      ]
      if (typeof answer === 'object' && 'load' in answer) return answer.load
      throw new Error(typeof answer === 'object' ? answer.error : 'The load generator has ended')
    },
    async [Symbol.asyncDispose]() {
      child.disconnect()
      await exited
    },
  }
}

/** The text of a request, with all headers that a careful caller sends. */
export function request(
  method: 'GET' | 'POST',
  path: string,
  token: string,
  body?: unknown,
): string {
  const text = body === undefined ? '' : JSON.stringify(body)
  return [
    `${method} ${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    'Accept: application/json',
    `Authorization: Bearer ${token}`,
    ...(method === 'GET' ? [] : [`Idempotency-Key: ${freshKey}`]),
    ...(body === undefined
      ? []
      : ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(text)}`]),
    '',
    text,
  ].join('\r\n')
}

/** The text of a visit to a page, by a browser that is signed in. */
export const visit = (path: string, cookie: string): string =>
  [
    `GET ${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    'Accept: text/html',
    `Cookie: ${cookie}`,
    '',
    '',
  ].join('\r\n')
