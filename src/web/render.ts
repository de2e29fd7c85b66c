import { readdirSync } from 'node:fs'
import type { OutgoingHttpHeaders } from 'node:http'
import { join } from 'node:path'
import { Eta, type TemplateFunction } from 'eta'
import type { Reply } from '../http/reply.ts'
import { assetPath } from './assets.ts'
import { scriptTexts } from './script-texts.ts'
import { language } from './texts/locale.ts'
import { m, raw, t } from './texts/texts.ts'
import * as words from './words.ts'

// Templates are text: `<%= value %>` is escaped, always; `<%~ markup %>` is for what another
// template has made. `t('topic.name', { … })` is a text, and `m(…)` one with markup
// (texts/texts.ts). `ui.button({ … })` draws components/button.eta, which sees what it is given,
// and `here`.

const eta = new Eta({
  views: import.meta.dirname,
  autoEscape: true,
  cache: true,
  functionHeader: 'const { ui, here, words, asset, t, m, raw } = it',
})

const { escapeFunction } = eta.config
eta.configure({
  // A picture is made of numbers, in which nothing is to be escaped.
  escapeFunction: value => (typeof value === 'number' ? `${value}` : escapeFunction(value)),
})

// As `ui` names them, and where they are.
const components = readdirSync(join(import.meta.dirname, 'components')).map(file => {
  const name = file.replace(/\.eta$/, '')
  const called = name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
  return { called, path: `/components/${name}` }
})

// Each is found and compiled once: eta would look for the file of every part of a page again.
const compiled = new Map<string, (data: Record<string, unknown>) => string>()

function fillIn(path: string, data: Record<string, unknown>): string {
  let found = compiled.get(path)
  if (found === undefined) {
    const filepath = eta.resolvePath!(path)
    const made: TemplateFunction = eta.compile(eta.readFile!(filepath), { filepath })
    found = data => made.call(eta, data, { filepath })
    compiled.set(path, found)
  }
  return found(data)
}

type Draw = (data: Record<string, unknown>) => string

/** Renders a template with its data; `here` has the facts that every part of a page may need. */
export function render(
  template: string,
  here: Record<string, unknown>,
  data: Record<string, unknown>,
): Buffer {
  const facts = {
    here,
    words,
    asset: assetPath,
    language: language(),
    scriptTexts,
    ...{ t, m, raw },
  }
  const shared = { ...facts, ui: {} as Record<string, Draw> }
  for (const { called, path } of components) {
    shared.ui[called] = given => fillIn(path, { ...shared, ...given })
  }
  return Buffer.from(fillIn(`/${template}`, { ...data, ...shared }))
}

// Only our own scripts, styles and pictures, and forms to ourselves: injected markup could load or
// run nothing, and no page can be put into another.
const policy = [
  "default-src 'none'",
  ...['script-src', 'style-src', 'img-src', 'connect-src', 'form-action'].map(of => `${of} 'self'`),
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

const withheld = ['camera', 'geolocation', 'microphone', 'payment', 'usb', 'serial', 'midi']

export const headersOfPages: OutgoingHttpHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': policy,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  // With `no-referrer` Chromium says `Origin: null` in every form.
  'referrer-policy': 'same-origin',
  'permissions-policy': withheld.map(name => `${name}=()`).join(', '),
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

/** Returns a page for a visitor who is not signed in, or of whom nothing is known. */
export const plain = (
  status: number,
  template:
    | 'message'
    | 'signed-out'
    | 'suspended'
    | 'sign-on'
    | 'sign-in'
    | 'forgotten'
    | 'new-password'
    | 'code'
    | 'enrolment'
    | 'recovery-codes'
    | 'docs'
    | 'docs-section',
  data: Record<string, unknown>,
): Reply => ({
  status,
  headers: { ...headersOfPages },
  body: render(`plain/${template}`, { session: null }, data),
})

/** Returns a page with one sentence. */
export const message = (status: number, title: string, sentence: string): Reply =>
  plain(status, 'message', { title, sentence })
