import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { once } from 'node:events'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { until } from '../support/until.ts'

// The reference's example receivers work.

const page = (slug: string) =>
  readFileSync(join(import.meta.dirname, `../../docs/reference/${slug}.md`), 'utf8')
const block = (text: string, language: string): string =>
  new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, 'm').exec(text)?.[1] ?? ''

const body = Buffer.from('{"event":"account.suspended","data":{"reason":"Ünpaid"}}')
const secret = 'the secret of the reference'
const sign = (by: string, input = body): string => {
  const [, hex] = execFileSync('openssl', ['dgst', '-sha256', '-hmac', by, '-r'], {
    input,
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

/** The response: a status, or nothing before the connection ended. */
type Output = number | 'nothing'

/** Sends bytes as they are, and reads until the receiver closes; `after` ends it sooner. */
function exchange(port: number, bytes: Buffer | string, after?: (socket: Socket) => void) {
  const { promise, resolve } = Promise.withResolvers<Output>()
  const socket = connect(port, '127.0.0.1', () => {
    socket.write(bytes)
    after?.(socket)
  })
  let output = ''
  socket.on('data', chunk => (output += chunk.toString('latin1')))
  // A client that sends more than is read may be reset.
  socket.on('error', () => undefined)
  socket.on('close', () =>
    resolve(Number(/^HTTP\/1\.[01] ([0-9]{3})/.exec(output)?.[1]) || 'nothing'),
  )
  return promise
}

const post = (...lines: string[]): string =>
  ['POST / HTTP/1.1', 'Host: a', 'Connection: close', ...lines, '', ''].join('\r\n')
const length = `Content-Length: ${body.length}`
const signed = (signature: string, name = 'X-Panel-Signature') =>
  Buffer.concat([Buffer.from(post(length, `${name}: ${signature}`), 'latin1'), body])
const genuine = signed(sign(secret))
const chunked = (content: Buffer) =>
  Buffer.concat([
    Buffer.from(post('Transfer-Encoding: chunked', `X-Panel-Signature: ${sign(secret)}`)),
    Buffer.from(`${content.length.toString(16)}\r\n`),
    content,
    Buffer.from('\r\n0\r\n\r\n'),
  ])
const large = Buffer.alloc(2 ** 20, 'x')
const hangUp = (socket: Socket) => setTimeout(() => socket.destroy(), 50)

/** In Latin-1: no JSON, no UTF-8, or no object. */
const notEvents = [
  ...['', '{', 'no JSON', '\u00fc', '{"event":"\u00fc"}', `{"event":"account.created"}}`],
  ...['null', '5', '"event"', '[{}]', '{"a":'.repeat(12_000), '['.repeat(60_000)],
]

/** The expected responses of each receiver; `no` is any answer but a success, or none. */
const cases: [title: string, send: (port: number) => Promise<Output>, expected: Output[] | 'no'][] =
  [
    ['what is genuine', port => exchange(port, genuine), [204]],
    [
      'what is genuine by the next secret',
      port =>
        exchange(
          port,
          Buffer.concat([
            Buffer.from(
              post(
                length,
                `X-Panel-Signature: ${sign('another secret')}`,
                `X-Panel-Signature-Next: ${sign(secret)}`,
              ),
            ),
            body,
          ]),
        ),
      [204],
    ],
    ...(
      [
        ['no signature', ''],
        ['one by another secret', sign('another secret')],
        ['one without digits', 'sha256='],
        ['one that is too short', sign(secret).slice(0, -1)],
        ['one that is too long', `${sign(secret)}0`],
        ['one without its prefix', sign(secret).slice(7)],
        ['one of capital letters', sign(secret).toUpperCase()],
        ['one that is not ASCII', 'sha256=\u00fc\u00ff'],
        ['one as long, and not ASCII', `${sign(secret).slice(0, -1)}\u00fc`],
        ['one twice', `${sign(secret)}, ${sign(secret)}`],
      ] as const
    ).flatMap(([title, signature]): typeof cases => [
      [title, port => exchange(port, signed(signature)), [401]],
      [
        `${title}, as the next`,
        port => exchange(port, signed(signature, 'X-Panel-Signature-Next')),
        [401],
      ],
    ]),
    [
      'no header at all',
      port => exchange(port, Buffer.concat([Buffer.from(post(length)), body])),
      [401],
    ],
    [
      'another body',
      port => exchange(port, Buffer.concat([genuine.subarray(0, -1), Buffer.from(']')])),
      [401],
    ],
    ['no body', port => exchange(port, post(`X-Panel-Signature: ${sign(secret)}`)), 'no'],
    ...(notEvents.map(text => [
      `«${text.slice(0, 20)}», which is signed and no event`,
      port => {
        const content = Buffer.from(text, 'latin1')
        const signature = `X-Panel-Signature: ${sign(secret, content)}`
        const head = Buffer.from(post(`Content-Length: ${content.length}`, signature))
        return exchange(port, Buffer.concat([head, content]))
      },
      [400],
    ]) satisfies typeof cases),
    ['no number as its length', port => exchange(port, post('Content-Length: many')), 'no'],
    ['a length below 0', port => exchange(port, post('Content-Length: -1')), 'no'],
    [
      'a body in chunks',
      port => exchange(port, chunked(body)),
      // It says that it wants the length.
      [204, 411],
    ],
    ['a forged one in chunks', port => exchange(port, chunked(Buffer.from('{}'))), [401, 411]],
    [
      'a body without an end',
      port =>
        exchange(
          port,
          Buffer.concat([Buffer.from(post('Content-Length: 99999999')), large, large, large]),
          socket => setTimeout(() => socket.end(), 50),
        ),
      'no',
    ],
    ['chunks without an end', port => exchange(port, chunked(large)), 'no'],
    [
      'a caller that hangs up',
      port => exchange(port, genuine.subarray(0, -5), hangUp),
      ['nothing'],
    ],
    [
      'a caller that hangs up within the head',
      port => exchange(port, 'POST / HT', hangUp),
      ['nothing'],
    ],
    ['what is not HTTP', port => exchange(port, '\u0000\u0001\r\n\r\n', hangUp), 'no'],
  ]

for (const [name, command] of receivers) {
  const isInstalled = spawnSync(name, ['--version']).status === 0
  const skip = isInstalled ? {} : { skip: `${name} is not installed` }
  const begin = async (t: Test, own: NodeJS.ProcessEnv) => {
    const port = await freePort()
    const [program = '', ...words] = command(port)
    const { PANEL_WEBHOOK_SECRET: _, ...environment } = process.env
    const receiver = spawn(program, words, {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...environment, PORT: `${port}`, ...own },
    })
    let errors = ''
    receiver.stderr.on('data', chunk => (errors += chunk))
    const ended = once(receiver, 'close')
    t.teardown(async () => {
      receiver.kill('SIGKILL')
      await ended
    })
    return { port, receiver, ended, output: () => errors }
  }
  const isUp = (port: number) => until(async () => (await exchange(port, genuine)) !== 'nothing')

  t.test(
    `the receiver in ${name} lets through what is genuine, and nothing else`,
    skip,
    async t => {
      const { port, receiver } = await begin(t, { PANEL_WEBHOOK_SECRET: secret })
      await isUp(port)
      for (const [title, send, expected] of cases) {
        const result = await send(port)
        if (expected === 'no') t.ok(result === 'nothing' || result >= 400, `${title}: ${result}`)
        else t.ok(expected.includes(result), `${title}: ${result}`)
        t.equal(await exchange(port, genuine), 204, `the next one after ${title}`)
      }
      t.equal(receiver.exitCode, null)
    },
  )

  t.test(`the receiver in ${name} serves others while some callers say nothing`, skip, async t => {
    const { port } = await begin(t, { PANEL_WEBHOOK_SECRET: secret })
    await isUp(port)
    const idle = ['', 'POST / HTTP/1.1\r\n', genuine.subarray(0, -1)].map(bytes => {
      const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
      return socket.on('error', () => undefined)
    })
    await Promise.all(idle.map(socket => once(socket, 'connect')))
    for (let count = 0; count < 5; count++) t.equal(await exchange(port, genuine), 204)
    idle.forEach(socket => socket.destroy())
  })

  // The limit of PHP is its server's.
  const limited = name === 'php' ? { skip: 'it has no limit of its own' } : skip
  t.test(`the receiver in ${name} ends what takes long, however it comes`, limited, async t => {
    const { port } = await begin(t, { PANEL_WEBHOOK_SECRET: secret })
    await isUp(port)
    const dripping = (sent: Buffer | string, drop: string) =>
      exchange(port, sent, socket => {
        const drip = setInterval(() => socket.write(drop), 500)
        socket.on('close', () => clearInterval(drip))
      })
    const began = Date.now()
    const results = await Promise.all([
      exchange(port, ''),
      dripping('POST / HTTP/1.1\r\nA: ', 'a'),
      dripping('POST / HTTP/1.1\r\n', 'A: a\r\n'),
      dripping(post('Content-Length: 65536', `X-Panel-Signature: ${sign(secret)}`), 'a'),
    ])
    for (const one of results) t.ok(one === 'nothing' || one >= 400, `${one}`)
    const tookMs = Date.now() - began
    t.ok(tookMs > 9_000 && tookMs < 20_000, `${tookMs} ms`)
  })

  t.test(`the receiver in ${name} refuses requests without its secret`, skip, async t => {
    for (const own of [{}, { PANEL_WEBHOOK_SECRET: '' }, { PANEL_WEBHOOK_SECRET: 'short' }]) {
      const { port, ended, output } = await begin(t, own)
      if (name !== 'php') {
        t.not((await ended)[0], 0, 'it does not start')
        t.match(output(), /^(Error: )?PANEL_WEBHOOK_SECRET is not set$/m)
        continue
      }
      await isUp(port)
      for (const key of ['', 'short']) t.equal(await exchange(port, signed(sign(key))), 500)
    }
  })
}

t.test('the command for a body in a file prints its signature', async t => {
  writeFileSync(join(folder, 'body.json'), body)
  const blocks = [...page('webhooks').matchAll(/^```bash\n([^]*?)^```$/gm)].map(([, text]) => text)
  const command = blocks.find(text => text?.startsWith('openssl'))
  const result = spawnSync('bash', ['-c', command ?? ''], {
    cwd: folder,
    env: { ...process.env, PANEL_WEBHOOK_SECRET: secret },
    encoding: 'utf8',
  })
  t.equal(result.stdout.trim(), sign(secret))
})

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
