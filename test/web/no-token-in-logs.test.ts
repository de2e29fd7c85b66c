import t from 'tap'
import { openWeb } from '../support/web/browser.ts'

// A failing database makes the pages write to the log.

t.test('a failure is a page, and the log names the route and not the link', async t => {
  const { panel, link, visit } = await openWeb(t)
  const path = await link()
  await panel.pool.query('alter table panel.sign_ons rename to elsewhere')
  const written: string[] = []
  const write = process.stdout.write.bind(process.stdout)
  process.stdout.write = ((chunk: string | Uint8Array) => {
    written.push(String(chunk))
    return true
  }) as typeof process.stdout.write
  const pages = [
    await visit(path),
    await visit(path, { method: 'HEAD' }),
    await visit(path, { method: 'POST', headers: { origin: 'https://panel.test:8443' } }),
    await visit(path, { method: 'PUT' }),
    await visit(`${path}/more`),
    await visit(`/api/v1${path}`),
  ].map(({ status }) => status)
  process.stdout.write = write
  t.strictSame(pages, [500, 500, 500, 405, 404, 404])
  const lines = written.join('')
  t.match(lines, '"path":"/sso/:token"')
  t.notMatch(lines, path.replace('/sso/', ''))
})
