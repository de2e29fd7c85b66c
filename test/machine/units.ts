import type { Test } from 'tap'
import { until } from '../support/until.ts'
import type { DebianMachine } from './debian-machine.ts'
import { type Client, services } from './installed.ts'

// The most that `systemd-analyze security` may find open; the worker's unit gives its reasons.
const exposure: Record<string, number> = {
  'panel-api': 1.5,
  'panel-courier': 1.5,
  'panel-worker': 5.9,
}

/** The units of an installed panel: closed, watched over, and without a gap between two runs. */
export async function showUnits(t: Test, machine: DebianMachine, client: Client): Promise<void> {
  for (const service of services) {
    const file = `/etc/systemd/system/${service}.service`
    const output = await machine.must('systemd-analyze', 'security', '--offline=true', file)
    const level = Number(/Overall exposure level for \S+: ([0-9.]+)/.exec(output)?.[1])
    t.ok(level <= exposure[service]!, `${service}: ${level}`)
    const verified = await machine.run(['systemd-analyze', 'verify', file])
    t.notMatch(verified.stderr, service)
  }
  await reportFigures(t, machine, client)
  await showRestart(t, machine, client)
  await showWatchdog(t, machine)
  await showWithoutDatabase(t, machine, client)
}

const pidOf = async (machine: DebianMachine, service: string): Promise<string> =>
  (await machine.must('systemctl', 'show', '--value', '-p', 'MainPID', service)).trim()

// Times are reported, and not limited: the machine does other things meanwhile.
async function reportFigures(t: Test, machine: DebianMachine, client: Client): Promise<void> {
  const log = await machine.must('cat', '/var/log/panel/install.log')
  const at = (line: string) =>
    Date.parse(
      log
        .split('\n')
        .find(one => one.endsWith(line))
        ?.slice(0, 24) ?? '',
    )
  const took = Math.round((at(' health: done') - at(' packages: done')) / 1_000)
  t.comment(`figure: installed ${took} s after its packages`)

  await machine.must('systemctl', 'restart', ...services)
  t.match(await client('GET', '/accounts/bob'), { status: 200 })
  const kib = await Promise.all(services.map(service => memoryOf(machine, service)))
  const all = kib.reduce((sum, each) => sum + each, 0)
  t.ok(all <= 220, `${all} MB`)
  t.comment(`figure: memory of ${services.join(', ')}: ${kib.join(', ')}, together ${all} MB`)

  await machine.must('systemctl', 'stop', 'panel-worker')
  const waiting = client('POST', '/accounts/bob/suspend', {})
  await until(async () => (await panelJobs(machine)) > 0)
  const begun = performance.now()
  await machine.must('systemctl', 'start', '--no-block', 'panel-worker')
  t.match(await waiting, { status: 200 })
  const restarted = Math.round(performance.now() - begun)
  t.comment(`figure: from the start of the worker to the end of its first job: ${restarted} ms`)
  t.match(await client('POST', '/accounts/bob/unsuspend', {}), { status: 200 })
}

/** MB that a service takes, its part of what it shares with others included. */
async function memoryOf(machine: DebianMachine, service: string): Promise<number> {
  const text = await machine.must('cat', `/proc/${await pidOf(machine, service)}/smaps_rollup`)
  return Math.round(Number(/^Pss: +(\d+) kB/m.exec(text)?.[1]) / 1_024)
}

async function panelJobs(machine: DebianMachine): Promise<number> {
  const listed = await machine.must('panel', 'jobs', 'ls', '--state', 'queued', '--json')
  return (JSON.parse(listed) as { jobs: object[] }).jobs.length
}

// Clients that come meanwhile wait at the socket.
async function showRestart(t: Test, machine: DebianMachine, client: Client): Promise<void> {
  const statuses: number[] = []
  let isOver = false
  const ask = async () => {
    while (!isOver) statuses.push((await client('GET', '/accounts/bob')).status)
  }
  const callers = [ask(), ask()]
  await until(() => statuses.length > 5)
  const before = await pidOf(machine, 'panel-api')
  await machine.must('systemctl', 'restart', 'panel-api')
  const answered = statuses.length
  await until(() => statuses.length > answered + 5)
  isOver = true
  await Promise.all(callers)
  t.not(await pidOf(machine, 'panel-api'), before)
  // The license is read with the start.
  t.strictSame([...new Set(statuses)], [200], 'no call is refused')
}

async function showWatchdog(t: Test, machine: DebianMachine): Promise<void> {
  const file = '/run/systemd/system/panel-courier.service.d/short.conf'
  const text = '[Service]\nWatchdogSec=2s\n'
  await machine.run(['sh', '-c', `mkdir -p ${file.replace(/\/[^/]+$/, '')}; cat >${file}`], text)
  await machine.must('systemctl', 'daemon-reload')
  await machine.must('systemctl', 'restart', 'panel-courier')
  const before = await pidOf(machine, 'panel-courier')
  await machine.must('kill', '-STOP', before)
  const isNew = async () => !['0', before].includes(await pidOf(machine, 'panel-courier'))
  t.ok(await until(isNew, 30_000), 'one that hangs is started again')
  await machine.must('rm', '-r', file.replace(/\/[^/]+$/, ''))
  await machine.must('systemctl', 'daemon-reload')
  await machine.must('systemctl', 'restart', 'panel-courier')
}

async function showWithoutDatabase(t: Test, machine: DebianMachine, client: Client): Promise<void> {
  await machine.must('systemctl', 'stop', 'postgresql')
  await machine.must('systemctl', 'restart', ...services)
  t.match(await client('GET', '/accounts/bob'), { status: 503 })
  const status = await machine.must('systemctl', 'status', 'panel-worker')
  t.match(status, /Waiting for the database/)
  await machine.must('systemctl', 'start', 'postgresql')
  const isBack = async () => (await client('GET', '/accounts/bob')).status === 200
  t.ok(await until(isBack, 30_000))
}
