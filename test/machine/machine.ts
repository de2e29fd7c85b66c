import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { request, type IncomingMessage } from 'node:http'
import { dirname, join } from 'node:path'
import type { Test } from 'tap'
import { exportsPath } from '../../src/model/server/host.ts'
import { callPanel } from '../support/cli/run-panel.ts'
import { until } from '../support/until.ts'
import { openPanel, type Panel, type PanelOptions } from '../support/panel.ts'
import { startProcess, type Child } from '../support/processes.ts'

// Tests in a throw-away copy of the machine share this.

export type Output = { code: number | null; stdout: string; stderr: string }

/** Runs a program to its end, whatever its exit code. */
export async function run(command: string, args: string[], input = ''): Promise<Output> {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'] })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (text: Buffer) => (stdout += text.toString()))
  child.stderr.on('data', (text: Buffer) => (stderr += text.toString()))
  child.stdin.on('error', () => undefined)
  child.stdin.end(input)
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, stdout, stderr }
}

/** The services that a server has, started as their packages start them. */
export function startServices(...names: ('nginx' | 'sshd' | 'cron')[]): void {
  for (const name of names) {
    const { status, stderr } = spawnSync(`/usr/sbin/${name}`, { encoding: 'utf8' })
    if (status !== 0) throw new Error(`${name} does not start: ${stderr}`)
  }
}

/** Stops nginx, whose listening sockets are closed a moment after its pid file is gone. */
export async function stopNginx(): Promise<void> {
  await run('nginx', ['-s', 'stop'])
  const refused = 7
  await until(async () => (await run('curl', ['-s', 'http://127.0.0.1/'])).code === refused)
}

export type LinuxPanel = Panel & {
  /** With further settings. */
  startMachineWorker: (settings?: Record<string, string>) => Promise<Child>
}

/** API and database of the test's own, and the real worker on the real machine. */
export async function openLinuxPanel(
  t: Test,
  options: Pick<PanelOptions, 'origin'> = {},
): Promise<LinuxPanel> {
  const panel = await openPanel(t, { ...options, exportsDir: exportsPath, hasWorker: false })
  const startMachineWorker = (settings = {}) =>
    startProcess(t, 'bin/panel-worker.ts', [], {
      ready: /worker ready/,
      onOutput: reportErrors,
      environment: {
        DATABASE_URL: panel.databaseUrl,
        PANEL_HOST: 'linux',
        PANEL_STATE_DIR: '/var/lib/panel-state',
        ...settings,
      },
    })
  return { ...panel, startMachineWorker }
}

// Shown if the test fails.
export function reportErrors(text: string): void {
  const errors = text.split('\n').filter(line => line.includes('"level":"error"'))
  if (errors.length > 0) process.stderr.write(`${errors.join('\n')}\n`)
}

/** Requests a page as a visitor. */
export async function visit(domain: string, path = '/'): Promise<{ status: number; text: string }> {
  const headers = { host: domain }
  const asked = request({ host: '127.0.0.1', path, headers, agent: false, timeout: 10_000 })
  asked.end()
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  let text = ''
  for await (const chunk of response) text += String(chunk)
  return { status: response.statusCode ?? 0, text }
}

/** Asserts that a visitor sees this now: an answered change needs no wait. */
export async function expectPage(domain: string, path: string, looked: RegExp): Promise<void> {
  const { status, text } = await visit(domain, path)
  if (!looked.test(`${status} ${text}`)) throw new Error(`${domain}${path}: ${status} ${text}`)
}

const lenient = ['-o', 'StrictHostKeyChecking=no', '-o', 'UserKnownHostsFile=/dev/null']

/** An SFTP session with a password and these commands. */
export const sftp = (user: string, password: string, commands: string): Promise<Output> =>
  run(
    'sshpass',
    ['-p', password, 'sftp', '-o', 'BatchMode=no', ...lenient, '-b', '-', `${user}@127.0.0.1`],
    commands,
  )

/** The same with a key. */
export const sftpByKey = (user: string, key: string, commands: string): Promise<Output> =>
  run('sftp', ['-i', key, ...lenient, '-b', '-', `${user}@127.0.0.1`], commands)

/** Makes a key, and lets an account log in with it. */
export async function addSftpKey(panel: LinuxPanel, username: string, file: string) {
  await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', file])
  const added = await sftpKeys(panel, 'add', username, `${file}.pub`)
  if (added.code !== 0) throw new Error(added.stderr)
}

/** `panel sftp-key …` */
export const sftpKeys = ({ databaseUrl, root }: LinuxPanel, ...words: string[]) =>
  callPanel(['sftp-key', ...words], {
    DATABASE_URL: databaseUrl,
    PANEL_STATE_DIR: dirname(root),
  })

/** Puts a file into a home as the account does. */
export async function putFile(user: { uid: number }, path: string, text: string): Promise<void> {
  const { code, stderr } = await asUser(user.uid, ['tee', path], text)
  if (code !== 0) throw new Error(stderr)
}

/** Runs a program as an account. */
export const asUser = (uid: number, command: string[], input = ''): Promise<Output> =>
  run('setpriv', [`--reuid=${uid}`, `--regid=${uid}`, '--clear-groups', ...command], input)

/** Everything on the machine that mentions the account, outside the trash. */
export async function tracesOf(username: string, uid: number): Promise<string[]> {
  const traces: string[] = []
  for (const file of ['passwd', 'shadow', 'group', 'gshadow', 'subuid', 'subgid']) {
    const path = join('/etc', file)
    if (!existsSync(path)) continue
    const lines = readFileSync(path, 'utf8').split('\n')
    const isMention = (line: string) => line.split(/[:,]/).some(word => word === username)
    traces.push(...lines.filter(isMention).map(line => `${path}: ${line}`))
  }
  const byRegex = ['-regextype', 'posix-extended']
  const folders = ['/etc', '/home', '/var', '/run', '/tmp', '/dev', '/sys/fs/cgroup']
  // And this suite's own files, and the groups of a container that runs at the same time.
  const others = ['/home/.trash', '/dev/shm/panel-*', '/sys/fs/cgroup/*/payload']
  const paths = others.flatMap(path => ['-o', '-path', path]).slice(1)
  const apart = ['(', ...paths, ')', '-prune']
  // Not as digits of a checksum, which is the name of many files.
  const numbered = ['-regex', `.*[^0-9a-f]${uid}([^0-9a-f][^/]*)?`]
  const named = [...numbered, '-o', '-name', username]
  const isTheirs = ['-uid', String(uid), '-o', '-gid', String(uid), '-o', ...named]
  const found = await run('find', [
    ...folders,
    ...byRegex,
    ...apart,
    '-o',
    '(',
    ...isTheirs,
    ')',
    '-print',
  ])
  traces.push(...found.stdout.split('\n').filter(path => path !== '' && isOwnGroup(path)))
  if (existsSync(`/home/${username}`)) traces.push(`/home/${username}`)
  for (const kind of ['shm', 'sem', 'msg']) {
    const lines = readFileSync(`/proc/sysvipc/${kind}`, 'utf8').split('\n')
    traces.push(...lines.filter(line => line.split(/ +/).includes(String(uid))))
  }
  const processes = await run('ps', ['-o', 'pid=,args=', '-U', String(uid)])
  traces.push(...processes.stdout.split('\n').filter(Boolean))
  return traces
}

/** Excludes control groups of other copies of the machine, because all see the same ones. */
export function isOwnGroup(path: string): boolean {
  const copy = /\/panel-machine\.\w+/.exec(path)?.[0]
  return copy === undefined || readFileSync('/proc/self/cgroup', 'utf8').includes(copy)
}
