import { RefusedAddress } from './addresses.ts'
import type { Limits } from './limits.ts'

type Failure = { error: string; isTimeout: boolean }

// No message of ours or Node's is longer; a receiver's certificate can contain any text.
const maxLength = 500

// Responses that undici refuses by closing the connection itself.
const unread: Record<string, string> = {
  'bad response': 'The receiver sent an unexpected 100 Continue',
  'bad upgrade': 'The receiver sent an unexpected protocol upgrade',
}

/** Describes a failed connection for the administrator. */
export function failureOf(error: Error, { connectMs }: Limits): Failure {
  if (error instanceof RefusedAddress) return failed(`Refused to connect: ${error.message}`)
  const code = `${(error as { code?: unknown }).code ?? ''}`
  if (isNoHttp(error, code)) return failed('The receiver’s response is not valid HTTP')
  if (untrusted.has(code)) return failed(`${notTrusted} (${code})`)
  if (code.startsWith('ERR_SSL_')) return failed(tlsFailures[code] ?? `TLS failed (${code})`)
  switch (code) {
    case 'UND_ERR_CONNECT_TIMEOUT':
    case 'ETIMEDOUT':
      return { error: `No connection within ${connectMs / 1000} s`, isTimeout: true }
    case 'UND_ERR_HEADERS_OVERFLOW':
      return failed('The response headers are too long')
    case 'UND_ERR_SOCKET':
      return failed(
        unread[error.message] ?? 'The receiver closed the connection without a response',
      )
    case 'ECONNRESET':
      return failed('The receiver reset the connection (ECONNRESET)')
    case 'ECONNREFUSED':
      return failed(`Connection refused: ${messageOf(error)}`)
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return failed(`The host name cannot be resolved (${code})`)
    default:
      return failed(code === '' ? messageOf(error) : `${messageOf(error)} (${code})`)
  }
}

// Parse errors of undici, and its assertions about a response.
const isNoHttp = (error: Error, code: string): boolean =>
  error.name === 'HTTPParserError' ||
  code === 'ERR_ASSERTION' ||
  code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH'

// OpenSSL's own messages name its source files.
const notTls = 'The receiver does not use TLS on this port; should its URL begin with http://?'
const tlsFailures: Record<string, string> = {
  ERR_SSL_WRONG_VERSION_NUMBER: notTls,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: notTls,
}

// OpenSSL's codes for a chain that ends at no known authority. Node's messages suggest a
// command-line flag, which cannot be passed to the courier.
const untrusted = new Set([
  'CERT_UNTRUSTED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
])
const notTrusted =
  'The receiver’s certificate comes from no authority that this server trusts. Have the receiver ' +
  'send its whole chain; if its authority is private, set PANEL_WEBHOOK_CA to a file with the ' +
  'authority’s certificate'

const failed = (error: string): Failure => ({ error: printable(error), isTimeout: false })

// An AggregateError has no message of its own.
const messageOf = (error: Error): string =>
  error instanceof AggregateError
    ? error.errors.map(each => `${each.message}`).join(', ')
    : error.message

const printable = (text: string): string => text.replace(/\p{Cc}+/gu, ' ').slice(0, maxLength)
