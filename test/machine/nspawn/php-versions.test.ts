import { readFileSync } from 'node:fs'
import t from 'tap'
import { openLinuxPanel, run } from '../machine.ts'
import { showVersions } from '../php-versions.ts'

// PHP of several versions, each a unit of systemd's in its account's slice.

const panel = await openLinuxPanel(t)

t.test('two versions run next to each other', t =>
  showVersions(t, panel, {
    async listFailed() {
      const { stdout } = await run('journalctl', ['-o', 'cat', '-u', 'panel-php@*'])
      return stdout
        .split('\n')
        .filter(line => /Failed with result/.test(line))
        .join('\n')
    },
    isIn: (pid, uid) =>
      readFileSync(`/proc/${pid}/cgroup`, 'utf8').includes(`/user-${uid}.slice/panel-php@${uid}-`),
  }),
)
