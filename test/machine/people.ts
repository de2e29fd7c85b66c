import type { Test } from 'tap'
import { until } from '../support/until.ts'
import type { DebianMachine } from './debian-machine.ts'
import { address, curl, type Client } from './installed.ts'

// People with a browser, who come to the pages of an installed panel through nginx.

type Page = { status: number; head: string; text: string }

/** A browser with a jar of its own for cookies. */
export function openBrowser(machine: DebianMachine, name: string) {
  const jar = `/tmp/panel-${process.pid}-${machine.root.replaceAll('/', '-')}-${name}`
  const ask = async (path: string, ...more: string[]): Promise<Page> => {
    const url = path.startsWith('http') ? path : `${address}${path}`
    const { stdout } = await machine.reach([...curl, '-i', '-b', jar, '-c', jar, ...more, url])
    const [head = '', ...text] = stdout.split('\r\n\r\n')
    return { status: Number(/^HTTP\S+ (\d+)/.exec(head)?.[1]), head, text: text.join('') }
  }
  const submit = (path: string, fields: Record<string, string>, origin = address) => {
    const data = Object.entries(fields).flatMap(one => ['--data-urlencode', one.join('=')])
    return ask(path, '-H', `Origin: ${origin}`, ...data)
  }
  /** Draws a form and sends it as it is, with a file where one is given (`name=@path` for curl). */
  const send = async (path: string, file?: string): Promise<Page> => {
    const { text } = await ask(path)
    const own = ['-H', `Origin: ${address}`]
    if (file !== undefined) {
      const [, action = ''] = /enctype="multipart\/form-data" action="([^"]*)"/.exec(text) ?? []
      return ask(action.replaceAll('&amp;', '&'), ...own, '-F', file)
    }
    const fields = ['token', 'key'].map(name => {
      const [, value] = new RegExp(`name="${name}" value="([^"]*)"`).exec(text) ?? []
      return `${name}=${value}`
    })
    return ask(path, ...own, ...fields.flatMap(one => ['--data-urlencode', one]))
  }
  return { ask, submit, send }
}

/** A browser of a customer's, signed in by a link. */
export async function signInByLink(machine: DebianMachine, client: Client, name: string) {
  const { body } = await client('POST', `/accounts/${name}/login`, {})
  const link = Object.values(body).find(value => String(value).startsWith('https://'))
  const browser = openBrowser(machine, name)
  const agent = ['-A', 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Firefox/140.0']
  return { browser, entered: await browser.ask(String(link), ...agent) }
}

/** The first administrator signs in, and pages know the server and its addresses. */
export async function showPeople(
  t: Test,
  machine: DebianMachine,
  client: Client,
  password: string,
): Promise<void> {
  const admin = openBrowser(machine, 'admin')
  const plain = await admin.ask(`http://panel.example.com:8443/overview`)
  t.match(plain, { status: 308, head: /^location: https:\/\/panel\.example\.com:8443\/overview/im })
  t.match(await admin.ask('/overview'), { status: 303, head: /^location: \/sign-in/im })

  const entered = { username: 'admin', password }
  const foreign = await admin.submit('/sign-in', entered, 'https://elsewhere.example')
  t.match(foreign, { status: 403 })
  t.match(await admin.submit('/sign-in', { ...entered, password: 'wrong' }), { status: 422 })
  const signedIn = await admin.submit('/sign-in', entered)
  t.equal(signedIn.status, 303, signedIn.head + signedIn.text)
  t.match(signedIn.head, /^set-cookie: __Host-panel=.*; HttpOnly; SameSite=Lax; Secure/im)
  t.match(signedIn.head, /^strict-transport-security: /im)
  t.match(await admin.ask('/overview'), { status: 200, text: /<h1/ })

  // The worker's look, with the checks of a doctor that it has started.
  const look = async () => (await admin.ask('/server')).text
  t.ok(await until(async () => /All checks/.test(await look()), 150_000))
  t.notMatch(await look(), /The checks could not be run/)

  const { browser: bob, entered: linked } = await signInByLink(machine, client, 'bob')
  t.match(linked, { status: 303, head: /__Host-panel-account=/ })
  t.match(await bob.ask('/account'), { status: 200 })
  t.match(await bob.ask('/account/sites/bob.example'), { status: 200, text: ownAddress })
  t.match(await bob.ask('/overview'), { status: /30[23]|403|404/ }, 'not an owner')
}

/** The address of an interface that `giveAddress` adds. */
const ownAddress = '203.0.113.7'

/** Gives the machine a network as others have one, which leads nowhere. */
export async function giveAddress(machine: DebianMachine): Promise<void> {
  await machine.must('ip', 'link', 'add', 'uplink', 'type', 'veth', 'peer', 'name', 'elsewhere')
  await machine.must('ip', 'address', 'add', `${ownAddress}/24`, 'dev', 'uplink')
  for (const name of ['uplink', 'elsewhere']) await machine.must('ip', 'link', 'set', name, 'up')
}
