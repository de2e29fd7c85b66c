import { readFileSync, statSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { availableParallelism, loadavg } from 'node:os'
import { z } from 'zod'
import type { Host, ServerSnapshot } from '../model/server/host.ts'
import type { Checked } from '../model/server/remedies.ts'
import type { Machine } from './contract.ts'
import { listHostKeys } from './access/host-keys.ts'
import { trashOf } from './accounts/trash.ts'
import { listScripts } from './hooks/hook-scripts.ts'
import { listSshPorts } from './services/service-health.ts'
import { readMail } from './mail-server/queue.ts'
import { listInstalledPhp } from './php/extensions.ts'
import { reloadCounts } from './services/reload-count.ts'
import { CommandError, run } from './tools/run.ts'
import { tryOut } from './try-out.ts'

// Checks of the whole server, for pages shown to users without access to it.

type Where = {
  machine: Machine
  hooksDir: string
  /** The path of the `panel` command, and the environment that selects this panel. */
  command: string
  environment: Record<string, string>
  /** Returns the server's public addresses. */
  addresses: () => string[]
}

export const serverSnapshotOf = ({ machine, hooksDir, command, environment, addresses }: Where) =>
  ({
    tryOut: () => tryOut(machine),

    async repair() {
      const checks = await examine(command, environment, ['--fix'])
      const broken = checks.find(({ name }) => name === notRun)
      if (broken !== undefined) throw new Error(broken.sentence)
      return checks.flatMap(({ name, fixed }) => (fixed ? [`${name}: ${fixed}`] : []))
    },

    async backUp(passphrase) {
      const args = [command, 'backup', 'create', '--passphrase-stdin', '--json']
      const text = await run(process.execPath, args, {
        ...{ environment, stdin: `${passphrase}\n`, timeoutMs: backupLimitMs, outputLimit },
      })
      return BackupAnswer.parse(JSON.parse(text)).path
    },

    async takeServerSnapshot() {
      const [one = 0, five = 0, fifteen = 0] = loadavg()
      return {
        checks: await examine(command, environment, []),
        addresses: addresses(),
        load: [one, five, fifteen],
        cores: availableParallelism(),
        memory: readMemory(),
        disks: await readDisks(['/', '/home', '/var/lib'].map(path => [path, machine.path(path)])),
        sshPorts: (await listSshPorts(machine)) ?? [],
        hostKeys: await listHostKeys(machine),
        hooks: { folder: hooksDir, scripts: listScripts(hooksDir) },
        trash: trashOf(machine).listTrash(),
        php: listInstalledPhp(machine),
        reloads: reloadCounts(),
        ...(await mailOf(machine)),
      }
    },
  }) satisfies Partial<Host>

// The checks report a Postfix that does not answer.
async function mailOf(machine: Machine): Promise<Pick<ServerSnapshot, 'mail'>> {
  try {
    const mail = await readMail(machine)
    return mail === undefined ? {} : { mail }
  } catch (error) {
    if (error instanceof CommandError) return {}
    throw error
  }
}

const notRun = 'doctor/run'

// More than the 15 s that one check may take.
const limitMs = 45_000
const outputLimit = 1_000_000

// Homes of a few terabytes, from a slow disk.
const backupLimitMs = 24 * 3_600_000
const BackupAnswer = z.object({ path: z.string() })

/**
 * Runs `panel ctl doctor` as a separate process: it compares every account with the machine, which
 * would keep this process from its operations.
 */
async function examine(
  command: string,
  environment: Record<string, string>,
  options: readonly string[],
): Promise<(Checked & { fixed?: string | null })[]> {
  try {
    const args = [command, 'ctl', 'doctor', '--json', ...options]
    const text = await run(process.execPath, args, {
      ...{ environment, outputLimit, timeoutMs: limitMs },
      // The exit codes for warnings and failures.
      acceptedCodes: [1, 2],
    })
    return (JSON.parse(text) as { checks: Checked[] }).checks
  } catch (error) {
    if (!(error instanceof CommandError || error instanceof SyntaxError)) throw error
    const sentence = `The checks could not be run: ${error.message.slice(0, 500)}`
    return [{ name: notRun, state: 'failure', sentence, advice: 'panel ctl doctor' }]
  }
}

function readMemory(): ServerSnapshot['memory'] {
  const text = readFileSync('/proc/meminfo', 'utf8')
  const read = (name: string) =>
    Math.round(Number(new RegExp(`^${name}: +([0-9]+) kB`, 'm').exec(text)?.[1] ?? 0) / 1024)
  return { totalMb: read('MemTotal'), availableMb: read('MemAvailable') }
}

/** Returns the file systems of these paths, each once, under the first of them. */
async function readDisks(locations: readonly [string, string][]): Promise<ServerSnapshot['disks']> {
  const found = locations.flatMap(([path, real]) => {
    const device = statSync(real, { throwIfNoEntry: false })?.dev
    return device === undefined ? [] : [{ path, real, device }]
  })
  const each = found.filter(
    ({ device }, index) => found.findIndex(other => other.device === device) === index,
  )
  return Promise.all(
    each.map(async ({ path, real }) => {
      const { bsize, blocks, bfree, bavail } = await statfs(real)
      const toMb = (count: number) => Math.round((count * bsize) / 1_048_576)
      // Root's reserve counts as used, as in df.
      return { path, totalMb: toMb(blocks - bfree + bavail), availableMb: toMb(bavail) }
    }),
  )
}
