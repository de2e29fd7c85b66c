import { readFileSync, writeFileSync } from 'node:fs'
import { readPages, type Page } from './reference.ts'
import { withTable } from '../model/grammar/markdown-table.ts'
import { endpoints } from './routes.ts'

// Generates the tables of the reference's pages and of the API's endpoints: `npm run describe`
// writes them, a test compares.

export const file = 'docs/reference/README.md'
export const overviewFile = 'docs/reference/overview.md'

/** Returns the index with the current table. */
export const withIndex = (index: string, pages: readonly Page[]): string =>
  withTable(index, ['Page', 'Contents'], pages.map(toRow))

/** Returns the overview with the current endpoints. */
export const withEndpoints = (overview: string): string =>
  withTable(
    overview,
    ['Method and path', 'Does'],
    endpoints.map(({ method, path, summary }) => [`\`${method} ${path}\``, summary]),
  )

const toRow = ({ title, slug, summary }: Page) => [`[${title}](${slug}.md)`, summary]

if (import.meta.main) {
  writeFileSync(file, withIndex(readFileSync(file, 'utf8'), await readPages()))
  writeFileSync(overviewFile, withEndpoints(readFileSync(overviewFile, 'utf8')))
}
