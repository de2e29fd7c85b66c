import type { OutgoingHttpHeaders } from 'node:http'
import { join } from 'node:path'
import { Eta } from 'eta'
import type { Reply } from '../http/reply.ts'

// Every value in a template is escaped, but for the page that is put into the layout.
const eta = new Eta({
  views: join(import.meta.dirname, 'templates'),
  autoEscape: true,
  cache: true,
})

// Only our own style sheet and forms to ourselves: injected markup could load or run nothing.
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

/** A page with one sentence. */
export const message = (status: number, title: string, sentence: string): Reply =>
  page(status, 'message', { title, sentence })
