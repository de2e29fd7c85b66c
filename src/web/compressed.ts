import type { IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Reply } from '../http/reply.ts'

const brotli = promisify(brotliCompress)
const zip = promisify(gzip)

// Smaller ones get longer.
const minBytes = 500

// Assets are compressed once, and as far as it goes.
const kept = new WeakMap<Buffer, Map<string, Buffer>>()

/** Compresses the reply as the browser accepts it. */
export async function compressed(message: IncomingMessage, reply: Reply): Promise<Reply> {
  const { headers, body } = reply
  if (body.length < minBytes) return reply
  const accepted = String(message.headers['accept-encoding'] ?? '')
  const encoding = /\bbr\b/.test(accepted) ? 'br' : /\bgzip\b/.test(accepted) ? 'gzip' : undefined
  headers['vary'] = 'accept-encoding'
  if (encoding === undefined) return reply
  headers['content-encoding'] = encoding
  const isAsset = String(headers['cache-control'] ?? '').includes('immutable')
  if (!isAsset) return { ...reply, body: await encode(body, encoding, 4) }
  const known = kept.get(body) ?? new Map<string, Buffer>()
  kept.set(body, known)
  const small = known.get(encoding) ?? (await encode(body, encoding, 11))
  known.set(encoding, small)
  return { ...reply, body: small }
}

const encode = (body: Buffer, encoding: 'br' | 'gzip', quality: number): Promise<Buffer> =>
  encoding === 'gzip'
    ? zip(body, { level: Math.min(quality, 9) })
    : brotli(body, {
        params: {
          [constants.BROTLI_PARAM_QUALITY]: quality,
          [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
        },
      })
