import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Reply } from '../http/reply.ts'
import type { OpenRoute } from '../http/server.ts'

// Routes that need no token: the description, and the written reference for people and for language
// models (llmstxt.org).

const root = join(import.meta.dirname, '../..')

/** One file of docs/reference: a title, a summary in one line, and the rest. */
export type Page = { slug: string; title: string; summary: string; text: string }

/**
 * Returns the routes of the description and the reference: its index, all of it in one file, and
 * each page, read once.
 */
export async function referenceRoutes(baseUrl: string): Promise<OpenRoute[]> {
  const pages = await readPages()
  const description = await readFile(join(root, 'provisioning-openapi.yaml'), 'utf8')
  return [
    serve('/provisioning-openapi.yaml', 'application/yaml', description),
    serve('/llms.txt', 'text/plain', toIndex(pages, baseUrl)),
    serve('/llms-full.txt', 'text/plain', toWhole(pages)),
    ...pages.map(({ slug, text }) => serve(pathOf(slug), 'text/markdown', text)),
  ]
}

/**
 * Reads the reference in the order of the links in its overview; a page without a link there comes
 * last. README.md is the index for readers of the folder.
 */
export async function readPages(folder = join(root, 'docs/reference')): Promise<Page[]> {
  const names = (await readdir(folder))
    .filter(name => name.endsWith('.md') && name !== 'README.md')
    .sort()
  const pages = await Promise.all(
    names.map(async name => toPage(name, await readFile(join(folder, name), 'utf8'))),
  )
  const overview = pages.find(page => page.slug === 'overview')?.text ?? ''
  const order = ['overview', ...links(overview)]
  const positionOf = ({ slug }: Page) => (order.includes(slug) ? order.indexOf(slug) : order.length)
  return pages.sort((a, b) => positionOf(a) - positionOf(b))
}

function toPage(name: string, text: string): Page {
  const [, title, summary] = /^# (.+)\n\n> (.+)\n/.exec(text) ?? []
  if (title === undefined || summary === undefined) {
    throw new Error(`${name} does not begin with a title and a summary`)
  }
  return { slug: name.replace(/\.md$/, ''), title, summary, text }
}

// Links between the pages use their file names.
const pathOf = (slug: string): string => `/reference/${slug}.md`

const links = (text: string): string[] =>
  [...text.matchAll(/\]\(([a-z-]+)\.md\)/g)].map(([, slug]) => slug!)

/** Returns `/llms.txt`: each page with its summary. */
export const toIndex = (pages: Page[], baseUrl: string): string => `# Panel

> A hosting control panel that other software can drive, through an HTTP API under /api/v1.

## Reference

${pages.map(page => toEntry(page, baseUrl)).join('\n')}

## Description

- [OpenAPI](${baseUrl}/provisioning-openapi.yaml): the API for machines, as OpenAPI 3.0
- [Everything](${baseUrl}/llms-full.txt): the whole reference as one Markdown file
`

const toEntry = ({ title, slug, summary }: Page, baseUrl: string): string =>
  `- [${title}](${baseUrl}${pathOf(slug)}): ${summary}`

/** Returns `/llms-full.txt`: the pages one after the other, with links inside the file. */
export const toWhole = (pages: Page[]): string =>
  pages.map(({ text }) => text.replaceAll(/\]\(([a-z-]+)\.md\)/g, '](#$1)')).join('\n')

function serve(path: string, type: string, text: string): OpenRoute {
  const reply: Reply = {
    status: 200,
    headers: { 'content-type': `${type}; charset=utf-8` },
    body: Buffer.from(text),
  }
  return { path, handler: async () => reply }
}
