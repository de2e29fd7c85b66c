import { existsSync } from 'node:fs'
import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Test } from 'tap'
import { isClean } from '../scenarios.ts'
import type { Bench } from './bench.ts'

// Blesta's contract for every module.

/** The first argument of a method in the worst case, and the type that Blesta expects back. */
const methods: [name: string, given: unknown[], type: string][] = [
  ['upgrade', ['0.1.0'], 'NULL'],
  ['deleteModuleRow', ['object'], 'NULL'],
  ['getGroupOrderOptions', [], 'array'],
  ['selectModuleRow', [7], 'integer'],
  ['getPackageFields', [], 'object'],
  ['getPackageFields', ['object'], 'object'],
  ['addPackage', [], 'array'],
  ['addPackage', [{ meta: {} }], 'array'],
  ['editPackage', ['object'], 'array'],
  ['getServiceName', ['object'], 'string'],
  ['getAdminAddFields', ['object'], 'object'],
  ['getClientAddFields', ['object'], 'object'],
  ['getAdminEditFields', ['object'], 'object'],
  ['validateService', ['object'], 'boolean'],
  ['validateServiceEdit', ['object'], 'boolean'],
  ['addService', ['object'], 'NULL'],
  ['addService', ['object', { use_module: 'true', panel_domain: 'a.example' }], 'NULL'],
  ['editService', ['object', 'object'], 'array'],
  ['suspendService', ['object', 'object'], 'NULL'],
  ['unsuspendService', ['object', 'object'], 'NULL'],
  ['cancelService', ['object', 'object'], 'NULL'],
  ['renewService', ['object', 'object'], 'NULL'],
  ['changeServicePackage', ['object', 'object', 'object'], 'NULL'],
  ['getAdminServiceInfo', ['object', 'object'], 'string'],
  ['getClientServiceInfo', ['object', 'object'], 'string'],
  ['getAdminTabs', ['object'], 'array'],
  ['getClientTabs', ['object'], 'array'],
  ['tabLogin', ['object', 'object'], 'string'],
  ['tabClientLogin', ['object', 'object', null, { panel_sign_on: 'true' }], 'string'],
  ['tabStats', ['object', 'object'], 'string'],
  ['tabClientStats', ['object', 'object'], 'string'],
  ['tabClientActions', ['object', 'object'], 'string'],
]

export async function takesNothing(t: Test, { php }: Bench): Promise<void> {
  const changes = /^(add|suspend|unsuspend|cancel|change)\w*Service/
  for (const row of [0, 3]) {
    // A server that does not exist, and one without stored settings.
    await php.run('connect', { row: 3, host: null, port: null, token: null })
    for (const [method, given, type] of methods) {
      const outcome = await php.run('call', { method, arguments: given, row })
      isClean(t, outcome, [])
      t.equal(outcome.value?.type, type, `${method} of server ${row}`)
      if (changes.test(method)) t.ok(outcome.value.errors, `${method} does not claim success`)
    }
  }
  const { value: own } = await php.run('methods')
  const tried = new Set(methods.map(([name]) => name))
  // Needs arguments, or is not called by Blesta.
  const elsewhere = /^(__construct|manage\w+|\w+ModuleRow|validate(Domain|Username|Password))$/
  t.strictSame(
    own.filter((name: string) => !tried.has(name) && !elsewhere.test(name)),
    [],
    'no method is left out here',
  )
}

export async function isComplete(t: Test, { php, root }: Bench): Promise<void> {
  const { config, texts, templates, orderName } = (await php.run('config')).value
  t.equal(orderName, 'a.example')
  t.match(config.version, /^\d+\.\d+\.\d+$/)
  for (const key of [config.name, config.description]) t.type(texts[key], 'string', key)
  for (const key of ['row', 'rows', 'group']) t.type(texts[config.module[key]], 'string', key)
  t.equal(config.module.row_key, 'server_name')
  const tags: string[] = Object.entries(config.email_tags as Record<string, string[]>).flatMap(
    ([kind, names]) => names.map(name => `{${kind}.${name}}`),
  )
  for (const form of ['text', 'html']) {
    const named: string[] = templates.en_us[form].match(/\{[^}]*\}/g)
    t.strictSame(
      named.filter(name => !tags.includes(name)),
      [],
      form,
    )
  }
  const { value: tabs } = await php.run('call', { method: 'getClientTabs', arguments: ['object'] })
  const { value: own } = await php.run('methods')
  for (const name of Object.keys(tabs.result)) t.ok(own.includes(name), name)
  const folder = join(root, 'components/modules/panel')
  t.ok(existsSync(join(folder, 'views/default/images/logo.png')))
  await hasItsTexts(t, folder, Object.keys(texts))
}

/** Texts whose names are built at run time are searched by the rest of their names. */
async function hasItsTexts(t: Test, folder: string, texts: string[]): Promise<void> {
  const own = texts.filter(key => key.startsWith('Panel.'))
  const patterns: RegExp[] = []
  for await (const file of glob('**/*.{php,pdt,json}', { cwd: folder })) {
    if (file.startsWith('language/')) continue
    const text = await readFile(join(folder, file), 'utf8')
    for (const [, key] of text.matchAll(/['"](Panel\.[\w!][^'"\\]*)['"]/g)) {
      if (key === 'Panel.email_templates') continue
      const parts = key!.split(/\$\w+/).map(part => part.replace(/[.[\]!]/g, '\\$&'))
      const pattern = new RegExp(`^${parts.join('\\w+')}$`)
      t.ok(
        own.some(name => pattern.test(name)),
        `${file} names ${key}`,
      )
      patterns.push(pattern)
    }
  }
  const unused = own.filter(name => !patterns.some(pattern => pattern.test(name)))
  t.strictSame(unused, [], 'every text is used')
}
