import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { PanelError } from '../errors.ts'
import type { Reply } from '../http/reply.ts'
import type { OpenRoute } from '../http/server.ts'
import { sprite } from './icons.ts'

// Styles, scripts and pictures, each at an address with a hash of its content: browsers keep them
// for good, and a new release has new addresses.

const own = (...path: string[]) => readFileSync(join(import.meta.dirname, ...path), 'utf8')
const of = (module: string) => readFileSync(fileURLToPath(import.meta.resolve(module)), 'utf8')

// Open Props: its rules for plain elements, and of its properties those that they name.
const props = ['normalize', 'gray', 'blue', 'indigo', 'purple', 'red', 'green']
const measures = ['sizes', 'fonts', 'borders', 'easings']
const ground = [...props, ...measures].map(name => of(`open-props/${name}.min.css`))
const frame = ['frame', 'navigation', 'alone']
const parts = ['buttons', 'states', 'cards', 'stats', 'lists', 'notices', 'tabs', 'code', 'jobs']
const kinds = ['tables', 'forms', 'charts', 'customer', 'search', 'docs', 'phone']
const ours = ['tokens', 'ground', ...frame, ...parts, ...kinds]

// Each in a block, whose names are its own.
const scripts = ['panel', 'drafts', 'search']
  .map(name => `{\n${own('scripts', `${name}.js`)}}`)
  .join('\n')

const sources: Record<string, { type: string; text: string }> = {
  'panel.css': {
    type: 'text/css; charset=utf-8',
    text: [...ground, ...ours.map(name => own('styles', `${name}.css`))].join('\n'),
  },
  'panel.js': { type: 'text/javascript; charset=utf-8', text: scripts },
  'htmx.js': {
    type: 'text/javascript; charset=utf-8',
    text: of('htmx.org/dist/htmx.min.js').replace(/\/\/# sourceMappingURL=.*$/m, ''),
  },
  'icons.svg': { type: 'image/svg+xml', text: sprite },
  'mark.svg': { type: 'image/svg+xml', text: own('styles', 'mark.svg') },
}

const assets = new Map(
  Object.entries(sources).map(([name, { type, text }]) => {
    const hash = createHash('sha256').update(text).digest('base64url').slice(0, 10)
    const [stem, extension] = name.split('.')
    return [`${stem}.${hash}.${extension}`, { name, type, body: Buffer.from(text) }]
  }),
)
const paths = new Map([...assets].map(([path, { name }]) => [name, `/assets/${path}`]))

/** Returns the address of an asset, by its plain name. */
export function assetPath(name: string): string {
  const path = paths.get(name)
  if (path === undefined) throw new Error(`There is no asset ${name}`)
  return path
}

/** Serves them all. */
export const assetRoute: OpenRoute = {
  path: '/assets/:name',
  handler: async ({ params }): Promise<Reply> => {
    const asset = assets.get(params['name'] ?? '')
    if (asset === undefined) throw new PanelError('not_found', 'There is nothing at this address')
    const headers = {
      'content-type': asset.type,
      'cache-control': 'public, max-age=31536000, immutable',
      'cross-origin-resource-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
    }
    return { status: 200, headers, body: asset.body }
  },
}
