import type { OutgoingHttpHeaders } from 'node:http'
import { join } from 'node:path'
import { Eta } from 'eta'
import type { Reply } from '../http/reply.ts'

// Every value in a template is escaped; the one exception is the layout, which takes a page in.
const eta = new Eta({
  views: join(import.meta.dirname, 'templates'),
  autoEscape: true,
  cache: true,
})

// Nothing but our own style sheet and forms to ourselves: what got into a page could do nothing.
const headersOfPages: OutgoingHttpHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; style-src 'self'; form-action 'self'; " +
    "base-uri 'none'; frame-ancestors 'none'",
  // The address of a page may be a secret.
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

/** A page made from one of the templates beside this file. */
export const page = (
  status: number,
  template: 'account' | 'message' | 'sign-on',
  data: Record<string, unknown>,
): Reply => ({
  status,
  headers: { ...headersOfPages },
  body: Buffer.from(eta.render(template, data)),
})

/** A page that says one thing. */
export const message = (status: number, title: string, sentence: string): Reply =>
  page(status, 'message', { title, sentence })
