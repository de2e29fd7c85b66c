import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { examples } from '../../src/model/event-examples.ts'
import { events } from '../../src/model/events.ts'
import { openOutside } from '../../src/outside/post.ts'
import { until } from '../until.ts'

// The reference's claims about events and webhooks hold, and its example receivers work.

const page = (slug: string) =>
  readFileSync(join(import.meta.dirname, `../../docs/reference/${slug}.md`), 'utf8')
const block = (text: string, language: string): string =>
  new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, 'm').exec(text)?.[1] ?? ''

t.test('the examples of data are those that test events carry', async t => {
  t.strictSame(JSON.parse(block(page('events-and-webhooks'), 'json')), examples)
  for (const [name, schema] of Object.entries(events)) {
    const example = examples[name as keyof typeof examples]
    t.strictSame(schema.parse(example), example, name)
  }
})

const body = Buffer.from('{"event":"account.suspended","data":{"reason":"Ünpaid"}}')
const secret = 'the secret of the reference'
const sign = (by: string): string => {
  const [, hex] = execFileSync('openssl', ['dgst', '-sha256', '-hmac', by, '-r'], {
    input: body,
    encoding: 'utf8',
  }).match(/^([0-9a-f]{64}) /)!
  return `sha256=${hex}`
}

const folder = t.testdir()
const file = (name: string, language: string): string => {
  const path = join(folder, name)
  writeFileSync(path, block(page('webhooks'), language))
  return path
}

const receivers: [string, (port: number) => string[]][] = [
  ['node', () => [process.execPath, file('receiver.mjs', 'js')]],
  ['python3', () => ['python3', file('receiver.py', 'python')]],
  ['php', port => ['php', '-S', `127.0.0.1:${port}`, file('receiver.php', 'php')]],
]

for (const [name, command] of receivers) {
  const isInstalled = spawnSync(name, ['--version']).status === 0
  const skip = isInstalled ? {} : { skip: `${name} is not installed` }
  t.test(
    `the receiver in ${name} lets through what is genuine, and nothing else`,
    skip,
    async t => {
      const port = await freePort()
      const [program = '', ...words] = command(port)
      const receiver = spawn(program, words, {
        stdio: 'ignore',
        env: { ...process.env, PORT: `${port}`, PANEL_WEBHOOK_SECRET: secret },
      })
      t.teardown(async () => {
        receiver.kill('SIGKILL')
        await once(receiver, 'exit')
      })
      const outside = openOutside({ allowed: ['127.0.0.0/8'] })
      const status = async (signature: string[]) => {
        const url = `http://127.0.0.1:${port}/`
        const headers = ['Content-Type', 'application/json', ...signature]
        const outcome = await outside.post({ url, headers, body }, new AbortController().signal)
        return outcome?.status
      }
      await until(() => status([]))
      t.equal(await status(['X-Panel-Signature', sign(secret)]), 204)
      t.equal(await status(['X-Panel-Signature', sign('another secret')]), 401)
      t.equal(await status(['X-Panel-Signature', 'sha256=']), 401)
      t.equal(await status([]), 401)
    },
  )
}

t.test('the command for a body in a file tells its signature', async t => {
  writeFileSync(join(folder, 'body.json'), body)
  const blocks = [...page('webhooks').matchAll(/^```bash\n([^]*?)^```$/gm)].map(([, text]) => text)
  const command = blocks.find(text => text?.startsWith('openssl'))
  const said = spawnSync('bash', ['-c', command ?? ''], {
    cwd: folder,
    env: { ...process.env, PANEL_WEBHOOK_SECRET: secret },
    encoding: 'utf8',
  })
  t.equal(said.stdout.trim(), sign(secret))
})

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
