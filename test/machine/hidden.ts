import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { until } from '../support/until.ts'
import type { DebianMachine } from './debian-machine.ts'
import { put, sftp, visit } from './installed.ts'

// The account bob inspects the processes of others, by each way in which a program runs as it: PHP,
// cron, at, SFTP, its own systemd, and by asking the machine's.

const secret = 'secret-of-another'
const own = 'own-process'

// All that a process shows of others: what it was started with, and what in.
const look = `for one in /proc/[0-9]*; do cat $one/cmdline $one/environ $one/status; done 2>&1 |
  tr '\\0' ' '; echo ${own}`
const ask = (unit: string) => `busctl call org.freedesktop.systemd1 /org/freedesktop/systemd1 \
org.freedesktop.systemd1.Manager GetUnitProcesses s ${unit} 2>&1; systemctl status ${unit} 2>&1`

/** Starts what there is to be seen, and who looks by cron and at; they are read a minute later. */
export async function beginLooking(machine: DebianMachine): Promise<void> {
  const victim = ['sh', '-c', 'sleep 1800; :', secret]
  const named = [`--setenv=SECRET=${secret}`, '--quiet', '--slice=user-65534.slice']
  await machine.must('systemd-run', ...named, '--unit=victim', '--uid=65534', ...victim)
  await machine.must('systemd-run', ...named, '--unit=victim-of-root', ...victim)
  const script = `#!/bin/sh\n{ ${look}; ${ask('victim')}; } >/home/bob/files/$1.txt 2>&1\n`
  writeFileSync(join(machine.root, 'srv/look.sh'), script, { mode: 0o755 })
  const line = `* * * * * /srv/look.sh cron; echo /srv/look.sh at | at now\n`
  await machine.run(['crontab', '-u', 'bob', '-'], line)
}

/** Both, for slow runs. */
export async function compareViews(t: Test, machine: DebianMachine): Promise<void> {
  await beginLooking(machine)
  await showHidden(t, machine)
}

/** Shows that none of them has seen anything. */
export async function showHidden(t: Test, machine: DebianMachine): Promise<void> {
  // Root sees all, so that there is something to be seen.
  t.match((await machine.run(['sh', '-c', look])).stdout, secret)
  t.match((await machine.run(['sh', '-c', ask('victim')])).stdout, secret)

  const seen = (name: string, text: string) => {
    t.match(text, own, `${name} has looked`)
    t.notMatch(text, secret, `${name} has seen nothing`)
  }
  const php = `<?php
    foreach (glob('/proc/[0-9]*') as $one)
      foreach (['cmdline', 'environ', 'status'] as $file) echo @file_get_contents("$one/$file");
    echo '${own}', shell_exec('/srv/look.sh php; cat /home/bob/files/php.txt');`
  await put(machine, 'bob', php, 'look.php')
  seen('PHP', await visit(machine, 'bob.example', '/look.php'))

  const password = 'correct horse battery'
  const listed = await sftp(machine, 'bob', password, 'ls /proc\nget /proc/self/cmdline /tmp/x\n')
  t.match(listed.stderr, /"\/proc" not found/)
  t.match(listed.stderr, /"\/proc\/self\/cmdline" not found/)

  await t.test('an account’s own systemd, which a login starts, sees none', async t => {
    const uid = (await machine.must('id', '-u', 'bob')).trim()
    await machine.must('systemctl', 'start', `user@${uid}`)
    // Its children see the same as itself.
    const shown = await machine.must('systemctl', 'show', '-P', 'MainPID', `user@${uid}`)
    const mounts = await machine.must('cat', `/proc/${shown.trim()}/mountinfo`)
    t.match(mounts, / \/proc .*[ ,]hidepid=invisible/)
    await machine.must('systemctl', 'stop', `user@${uid}`)
  })

  for (const name of ['cron', 'at']) {
    const written = () => machine.run(['cat', `/home/bob/files/${name}.txt`])
    await until(async () => (await written()).stdout.includes(own), 90_000)
    seen(name, (await written()).stdout)
  }
  await showDoctor(t, machine)
  await machine.must('crontab', '-u', 'bob', '-r')
  await machine.must('systemctl', 'stop', 'victim', 'victim-of-root')
}

// A process that was started by a unit that was opened again by hand.
async function showDoctor(t: Test, machine: DebianMachine): Promise<void> {
  const check = async () => {
    const result = await machine.run(['panel', 'ctl', 'doctor', '--json'])
    const { checks } = JSON.parse(result.stdout) as { checks: { name: string; sentence: string }[] }
    return checks.find(({ name }) => name === 'permissions/processes')
  }
  t.match(await check(), { state: 'ok' })
  const folder = '/run/systemd/system/cron.service.d'
  const text = String.raw`[Service]\nProtectProc=default\n`
  const open = `mkdir -p ${folder} && printf '${text}' >${folder}/90-open.conf`
  const restart = 'systemctl daemon-reload && systemctl restart cron'
  await machine.must('sh', '-c', `${open} && ${restart}`)
  t.match(await check(), { state: 'failure', sentence: /^cron can see processes of all users/ })
  await machine.must('sh', '-c', `rm -r ${folder} && ${restart}`)
  t.match(await check(), { state: 'ok' })
}
