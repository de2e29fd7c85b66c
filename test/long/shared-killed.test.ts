import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, chmodSync } from 'node:fs'
import t from 'tap'
import { apply } from '../../src/host/apply.ts'
import { nginxFiles } from '../../src/host/web/nginx-prepare.ts'
import { prepare } from '../../src/host/shared.ts'
import { sshdFile } from '../../src/host/access/sftp.ts'
import { sharedDrift } from '../../src/host/shared.ts'
import { alice, sandbox, straight, tree } from '../support/host/sandbox.ts'
import { inherited } from '../support/processes.ts'

const rereads = [
  ...['reload -- nginx', 'reload -- ssh'],
  ...['daemon-reload', 'restart -- systemd-journald.service'],
]

// Repairs what all accounts share, and is killed after so many renames.
const program = `
  import fs from 'node:fs'
  import { syncBuiltinESMExports } from 'node:module'
  import { openMachine } from '${new URL('../../src/host/machine.ts', import.meta.url).href}'
  const [root, count] = process.argv.slice(1)
  const { renameSync } = fs
  let left = Number(count)
  fs.renameSync = (...paths) => {
    if (left-- === 0) process.kill(process.pid, 'SIGKILL')
    renameSync(...paths)
  }
  syncBuiltinESMExports()
  await openMachine({ kind: 'sandbox', root }).ensureShared()`

t.test('a worker killed between any two shared files is succeeded', async t => {
  const box = await sandbox(t)
  await apply(box.machine, alice, straight)
  for (const tool of ['nginx', 'sshd', 'systemctl']) box.standIn(tool)
  const expected = tree(box.root)
  const files = [...nginxFiles(box.machine), ...box.machine.services.sharedFiles()]
  const paths = [...files.map(({ path }) => path), sshdFile]
  for (const path of paths) appendFileSync(box.machine.path(path), '# more\n')
  chmodSync(box.machine.path('/home/.trash'), 0o755)

  const isKilledAfter = async (renamed: number): Promise<boolean> => {
    const { root, machine } = box.copy()
    const args = ['--input-type=module', '-e', program, root, String(renamed)]
    const child = spawn(process.execPath, args, { stdio: 'inherit', env: inherited })
    const [code, signal] = await once(child, 'exit')
    t.ok(code === 0 || signal === 'SIGKILL', `it ended with ${code ?? signal}`)
    const before = box.calls()
    // As the next worker does when it starts.
    await prepare(machine)
    t.strictSame(sharedDrift(machine), [], `after ${renamed} files`)
    t.strictSame(tree(root), expected, `after ${renamed} files`)
    // Each is reported once, by the killed worker or by the next.
    const reported = [...before, ...box.calls()]
    for (const what of rereads) {
      const count = reported.filter(call => call === `systemctl ${what}`).length
      t.equal(count, 1, `${what} after ${renamed} files`)
    }
    return signal === 'SIGKILL'
  }
  let kills = 0
  while (await isKilledAfter(kills)) kills++
  t.ok(kills >= paths.length, `it was killed before each of ${paths.length} files`)
})
