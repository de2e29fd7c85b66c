import type { IncomingMessage } from 'node:http'
import type { z } from 'zod'
import { type ErrorCode, PanelError } from '../errors.ts'
import type { Caller } from '../model/signing-in/callers.ts'
import type { CallerKeys } from '../requests/caller-keys.ts'
import { repeated, repeatedIn } from './repeated-names.ts'

/** A request whose caller is known and whose body has been read. */
export type ApiRequest = {
  id: string
  method: string
  /** Path and query as they were sent. */
  target: string
  params: Record<string, string>
  query: URLSearchParams
  headers: IncomingMessage['headersDistinct']
  rawBody: Buffer
  caller: Caller
  /** Derived from its token, which is never stored or logged. */
  keys: CallerKeys
}

/** The maximum size of a body. */
export const maxBodyBytes = 65_536

/**
 * Returns whether a request has a body; without these headers it has none (RFC 9112, section 6.3).
 */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

/**
 * Reads a whole body; stops reading one that is too long.
 *
 * @throws {PanelError} `too_large`
 */
export async function readBody(message: IncomingMessage): Promise<Buffer> {
  if (!hasBody(message)) return Buffer.alloc(0)
  const chunks: Buffer[] = []
  let length = 0
  // By default, leaving the iterator early would destroy the connection before the answer.
  for await (const chunk of message.iterator({ destroyOnReturn: false })) {
    length += (chunk as Buffer).length
    if (length > maxBodyBytes) throw new PanelError('too_large', 'The body exceeds 64 KiB')
    chunks.push(chunk as Buffer)
  }
  return Buffer.concat(chunks, length)
}

/**
 * Parses the body of a request against the schema of its operation.
 *
 * @throws {PanelError} `invalid`, naming each invalid field
 */
export function parseBody<Schema extends z.ZodType>(
  request: ApiRequest,
  schema: Schema,
): z.output<Schema> {
  return parse(schema, toJson(request))
}

/**
 * Parses the query of a request, in which each parameter may occur once.
 *
 * @throws {PanelError} `invalid`, naming each unknown or invalid parameter
 */
export function parseQuery<Schema extends z.ZodObject>(
  { query }: ApiRequest,
  schema: Schema,
): z.output<Schema> {
  const names = [...query.keys()]
  refuseNames(
    'Unknown query parameter',
    names.filter(name => !Object.hasOwn(schema.shape, name)),
  )
  refuseNames('Sent more than once', repeated(names))
  return parse(schema, Object.fromEntries(query))
}

function refuseNames(words: string, names: string[]): void {
  if (names.length === 0) return
  const some = [...new Set(names)].slice(0, maxIssues).map(printable)
  throw new PanelError('invalid', `${words}: ${some.join(', ')}`)
}

/**
 * Refuses a body whose Content-Type is not JSON. An empty body is accepted with any type. This is
 * about how the request was sent, like its size: the same bytes, sent correctly under the same
 * Idempotency-Key, are another request, so no write may record the refusal.
 *
 * @throws {PanelError} `invalid`
 */
export function requireJson({ rawBody, headers }: ApiRequest): void {
  if (isEmpty(rawBody)) return
  const [type = 'application/json', ...others] = headers['content-type'] ?? []
  if (others.length > 0) throw new PanelError('invalid', 'Send exactly one Content-Type')
  if (!/^application\/json\s*(;|$)/i.test(type.trim())) {
    throw new PanelError('invalid', 'The Content-Type must be application/json')
  }
}

const isEmpty = (body: Buffer): boolean =>
  body.length === 0 || /^\s*(\{\s*\}|\[\s*\])\s*$/.test(body.toString('latin1'))

function toJson({ rawBody }: ApiRequest): unknown {
  if (rawBody.length === 0) return {}
  const text = decode(rawBody)
  const value = parseJson(text)
  // PHP encodes an object without fields as an empty array.
  if (Array.isArray(value) && value.length === 0) return {}
  refuseNames('Sent more than once', repeatedIn(text, value))
  return value
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new PanelError('invalid', 'The body is not JSON')
  }
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new PanelError('invalid', 'The body is not UTF-8')
  }
}

/** Parses external input; the error describes in one sentence what is invalid. */
export function parse<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  name?: string,
): z.output<Schema> {
  const parsed = schema.safeParse(value, { error: toWords })
  if (parsed.success) return parsed.data
  const sentences = new Set(
    parsed.error.issues.map(issue =>
      sentence(name === undefined ? issue : { ...issue, path: [name, ...issue.path] }),
    ),
  )
  const { issues } = parsed.error
  const field = name ?? issues.find(({ path }) => typeof path[0] === 'string')?.path[0]
  throw new PanelError(codeOf(issues), [...sentences].slice(0, maxIssues).join('; '), {
    field: field?.toString(),
  })
}

// Returns the code that the issues are marked with (grammar.ts); none if they differ.
function codeOf(issues: z.core.$ZodIssue[]): ErrorCode {
  const [code, ...others] = new Set(
    issues.map(one => one.code === 'custom' && one.params?.['code']),
  )
  return others.length === 0 && code ? code : 'invalid'
}

// A body can have thousands of errors; the first ones are enough to act on.
const maxIssues = 5

function sentence(issue: z.core.$ZodIssue): string {
  const { path } = issue
  // Why a key is refused is in issues of its own.
  const [of] = issue.code === 'invalid_key' ? issue.issues : []
  const { message } = of ?? issue
  return path.length === 0 ? message : `${path.join('.')} ${message}`
}

const kinds: Record<string, string> = {
  string: 'a string',
  int: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
}

const formats: Record<string, string> = {
  uuid: 'must be a UUID',
  date: 'must be a day (2030-12-31)',
}

/** Describes an issue, in words that follow the name of the field. */
export function toWords(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === 'unrecognized_keys') {
    return `Unknown field: ${issue.keys.slice(0, maxIssues).map(printable).join(', ')}`
  }
  if (issue.code === 'invalid_value') return `must be one of ${issue.values.join(', ')}`
  if (issue.code === 'invalid_format') return formats[issue.format]
  if (issue.code === 'too_big' && issue.origin === 'string') {
    return `must have at most ${issue.maximum} characters`
  }
  if (issue.code === 'too_small') return `must be at least ${issue.minimum}`
  if (issue.code === 'too_big') return `must be at most ${issue.maximum}`
  if (issue.code !== 'invalid_type') return undefined
  if (issue.input === undefined) return 'is required'
  const kind = kinds[issue.expected] ?? issue.expected
  return (issue.path?.length ?? 0) === 0 ? `The body must be ${kind}` : `must be ${kind}`
}

// Makes a value from a caller printable: shortened, and without line breaks.
const printable = (text: string): string =>
  text.slice(0, 64).replace(/[\p{Cc}\p{Cs}\p{Cf}\u2028\u2029]/gu, '?')
