import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { openGate } from '../support/gate.ts'
import { openPanel } from '../support/panel.ts'
import { passphrase, runQuick, waitUntilIdle } from '../support/cli/backups.ts'
import { callPanel } from '../support/cli/run-panel.ts'
import { noTerminal, openTerminal, panelAt } from '../support/cli/terminal.ts'

// The command in a real terminal: its questions, what it shows of answers, and its output.

const skip = noTerminal
const gate = openGate()
const panel = await openPanel(t, { observe: gate.observe })
const stateDir = dirname(panel.root)
const environment = { DATABASE_URL: panel.databaseUrl, PANEL_STATE_DIR: stateDir }
const quick = join(import.meta.dirname, '../support/cli/quick-key.ts')
const at = (command: string) => openTerminal(t, command, environment)
const file = join(stateDir, 'backup.age')

const [results, talk] = [join(stateDir, 'results'), join(stateDir, 'talk')]
let rebuilds: Record<'shown' | 'hidden', ReturnType<typeof at>> | undefined

t.before(async () => {
  await waitUntilIdle(panel, stateDir)
  if (skip !== false) return
  // Both wait for the worker meanwhile: a bar appears after 2 s.
  gate.close()
  const hidden = at(panelAt(`ctl rebuild bob 2>${talk}`))
  await gate.reached()
  rebuilds = { hidden, shown: at(panelAt(`ctl rebuild --json alice >${results}`)) }
})

t.test('a passphrase is asked for twice and not shown', { skip }, async t => {
  const { answer, ended, seen } = at(panelAt(`backup create --output ${file}`, quick))
  await answer('Passphrase for the backup: ', `${passphrase}\r`)
  await answer('Repeat: ', `${passphrase}\r`)
  t.equal(await ended(), 0, seen())
  t.notMatch(seen(), passphrase)
  const words = ['backup', 'verify', file, '--passphrase-stdin']
  t.match(await runQuick(words, environment, passphrase), { code: 0 })
})

t.test('Ctrl-C at a passphrase ends it, with nothing done', { skip }, async t => {
  const { answer, ended, seen } = at(panelAt(`backup verify ${file}`, quick))
  await answer('Passphrase of the backup: ', 'half of it\u0003')
  t.equal(await ended(), 1)
  t.match(seen(), /panel: Interrupted; nothing was changed\r?\n$/)
  t.notMatch(seen(), 'half of it')
})

t.test('an invalid backup is refused before the passphrase prompt', { skip }, async t => {
  const both = ['backup verify', 'ctl dr-restore'].map(words =>
    at(panelAt(`${words} /proc/version`)),
  )
  for (const { ended, seen } of both) {
    t.equal(await ended(), 1)
    t.match(seen(), /^panel: \/proc\/version is not a backup of the panel\r?\n$/)
  }
})

t.test('a file that cannot be written is named, and not the database', async t => {
  const words = ['backup', 'create', '--output', join(stateDir, 'no/file'), '--passphrase-stdin']
  const result = await callPanel(words, environment, passphrase)
  t.match(result, { code: 1, stdout: '', stderr: /^panel: ENOENT: .*, open '.*'\n$/ })
})

t.test('a destructive command asks first, and accepts only yes', { skip }, async t => {
  const url = 'https://receiver.example/'
  const { id } = (await callPanel(['webhook', 'add', url, '--json'], environment)).json()
  const question = `The webhook ${id} will be removed and its due deliveries cancelled. Type yes`
  for (const [typed, code] of [
    ['no', 1],
    ['yes', 0],
  ] as const) {
    const { answer, ended, seen } = at(panelAt(`webhook rm ${id}`))
    await answer(question.slice(0, 60), 'y\r')
    await answer(/Type yes or no\s[^]* is removed/, `${typed}\r`)
    t.equal(await ended(), code, seen())
    const { webhooks } = (await callPanel(['webhook', 'ls', '--json'], environment)).json()
    t.equal(webhooks.length, code, typed)
  }
})

t.test('a bar is shown at a terminal alone, and leaves results alone', { skip }, async t => {
  const { shown, hidden } = rebuilds!
  await shown.answer(/Rebuilding \[-+\] 0 of 1/, '')
  gate.open()
  t.strictSame([await shown.ended(), await hidden.ended()], [0, 0])
  t.match(readFileSync(results, 'utf8'), /^\{"rebuilt":1,.*\}\n$/)
  t.notMatch(hidden.seen(), 'Rebuilding')
  t.equal(readFileSync(talk, 'utf8'), 'panel: 1 account rebuilt, 0 failed, 0 differed\n')
})
