import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import t from 'tap'
import { home } from '../../../src/host/accounts/home.ts'
import { openMachine } from '../../../src/host/machine.ts'
import { prepare } from '../../../src/host/shared.ts'
import { alice } from '../../support/host/sandbox.ts'

// Actions of a home's owner just before a website's new folder is renamed into its place.

let meanwhile = () => {}
const machine = openMachine({
  kind: 'linux',
  root: '/',
  runTool: plain => async (command, args, options) => {
    const output = await plain(command, args, options)
    if (command === 'tar' && options?.as !== undefined) meanwhile()
    return output
  },
})
await prepare(machine)

const sites = '/home/alice/sites'
const [fresh, final] = [`${sites}/.site-7`, `${sites}/alice.example`]

t.test('a folder that its owner has taken away keeps nothing else from being done', async t => {
  t.equal(await home.ensure?.(machine, alice), undefined)
  t.ok(existsSync(`${final}/public/index.html`))
  rmSync(final, { recursive: true })
  meanwhile = () => renameSync(fresh, `${sites}/elsewhere`)
  const words = 'The folders of these websites cannot be created: alice.example'
  t.match(await home.ensure?.(machine, alice), { code: 'site_folders_missing', sentence: words })
  t.notOk(existsSync(final))
})

t.test('a file that the owner has put in its place stays', async t => {
  meanwhile = () => {
    rmSync(fresh, { recursive: true })
    writeFileSync(fresh, '')
    mkdirSync(final)
    writeFileSync(`${final}/mine`, 'mine')
  }
  t.equal(await home.ensure?.(machine, alice), undefined)
  t.equal(readFileSync(`${final}/mine`, 'utf8'), 'mine')
  rmSync(final, { recursive: true })
  rmSync(fresh)
  meanwhile = () => {
    mkdirSync(final)
    writeFileSync(`${final}/mine`, 'mine')
  }
  t.equal(await home.ensure?.(machine, alice), undefined)
  t.equal(readFileSync(`${final}/mine`, 'utf8'), 'mine')
})

t.test('the next time it is made', async t => {
  meanwhile = () => {}
  rmSync(final, { recursive: true })
  t.equal(await home.ensure?.(machine, alice), undefined)
  t.ok(existsSync(`${final}/public/index.html`))
})
