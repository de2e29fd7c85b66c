import { IntlMessageFormat } from 'intl-messageformat'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { en } from '../../src/web/texts/en/all.ts'
import { inLanguage, preferred } from '../../src/web/texts/locale.ts'
import { isKey, m, raw, t as text } from '../../src/web/texts/texts.ts'
import { textsInCode, textsInTemplate } from '../support/web/texts-outside.ts'

const root = join(import.meta.dirname, '../../src/web')
const files = globSync(['**/*.eta', '**/*.ts'], { cwd: root })
  .filter(file => !file.startsWith('texts/'))
  .sort()
const read = (file: string): string => readFileSync(join(root, file), 'utf8')
const all = Object.entries(en).flatMap(([topic, texts]) =>
  Object.entries<string>(texts).map(([name, message]) => ({ key: `${topic}.${name}`, message })),
)

type Element = ReturnType<IntlMessageFormat['getAst']>[number]

/** Returns the names of arguments in a message. */
const argumentsOf = (elements: Element[]): string[] =>
  elements.flatMap(element => {
    if ('children' in element) return argumentsOf(element.children)
    const own = element.type === 0 || element.type === 7 ? [] : [element.value]
    if (!('options' in element)) return own
    return [...own, ...Object.values(element.options).flatMap(({ value }) => argumentsOf(value))]
  })

t.test('every message can be read', async t => {
  for (const { key, message } of all) {
    t.doesNotThrow(() => new IntlMessageFormat(message, 'en').getAst(), key)
  }
})

t.test('templates name existing texts, with all their arguments', async t => {
  for (const file of files.filter(name => name.endsWith('.eta'))) {
    for (const [call, key = ''] of read(file).matchAll(
      /\b[tm]\('([a-zA-Z]+\.\w+)'(?:, \{(?:[^{}]|\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\})*\})?\)/g,
    )) {
      if (!isKey(key)) t.fail(`${file}: there is no text ${key}`)
      const { message = '' } = all.find(one => one.key === key) ?? {}
      const names = argumentsOf(new IntlMessageFormat(message, 'en').getAst())
      for (const name of names) t.match(call, new RegExp(`\\b${name}\\b`), `${file}: ${key}`)
    }
  }
})

t.test('every text is used', async t => {
  const sources = files.map(read).join('\n')
  for (const { key } of all.filter(one => !one.key.startsWith('states.'))) {
    if (!sources.includes(`'${key}'`)) t.fail(`nothing shows ${key}`)
  }
})

// Literals that are no texts for people, or that are in one language by nature.
const allowed: Record<string, string[]> = {
  'adminer.ts': ['Adminer'],
  'assets.ts': ['There is no asset …', 'There is nothing at this address'],
  'components/connection.eta': ['$db = new PDO', '$db = new mysqli'],
  'docs/api-description.ts': [' or null', 'list of ……'],
  'form.ts': ['POST …'],
  'icons.ts': ['There is no icon …'],
  'pages/accounts/states.ts': ['Invoice 4711 is overdue'],
  'pages/databases/adminer.ts': ['panel: a ticket to Adminer\\n'],
  'pages/databases/own.ts': ['panel: a password of a database\\n'],
  'pages/my-account/tokens.ts': ['Billing', 'Provisioning only', '…, token …'],
  'pages/sites/fields.ts': ['/old https://example.com/new 301'],
  'pages/sites/names.ts': ['old.example https://example.com/ 301'],
  'render.ts': ['const { ui, here, words, asset, t, m, raw } = it'],
  'uploads.ts': ['old uploads were not removed'],
  'words.ts': ['sign on to', 'Safari', 'Edge', 'Opera', 'Mac OS X', '… UTC'],
}
// States, kinds and looks as code names them.
const codes = /^((in progress|hook run|the panel|signed in|small bare)|([a-z]+( [a-z]+){2,5}))$/

t.test('all texts of pages are in the catalogue', async t => {
  for (const file of files) {
    const found = file.endsWith('.eta') ? textsInTemplate(read(file)) : textsInCode(read(file))
    const known = allowed[file] ?? []
    const outside = found.filter(
      one => !known.some(start => one.startsWith(start)) && !(codes.test(one) && isCode(file, one)),
    )
    t.strictSame(outside, [], file)
  }
})

t.test('scripts show texts of the catalogue', async t => {
  for (const file of globSync('scripts/*.js', { cwd: root })) {
    t.strictSame(
      textsInCode(read(file)).filter(one => !isForScripts.test(one)),
      [],
      file,
    )
  }
})

// Names of keys and types, selectors, and ways to write a time.
const isForScripts = /^(Arrow(Up|Down)|Enter|Escape|Infinity)$|^\[|^button|^form|… UTC$|, \[/

// The words of states are lists in one module alone.
const isCode = (file: string, found: string): boolean =>
  file === 'words.ts' || found.split(' ').length <= 2

t.test('a text outside is found', async t => {
  t.strictSame(textsInTemplate('<p>Hello <b>you</b></p>'), ['Hello', 'you'])
  t.strictSame(textsInTemplate('<p title="Your name"><%= t(\'a.b\') %></p>'), ['Your name'])
  t.strictSame(textsInTemplate('<%~ ui.empty({ title: "No keys yet" }) %>'), ['No keys yet'])
  t.strictSame(textsInTemplate("<%~ ui.button({ label: 'Add' }) %>"), ['Add'])
  t.strictSame(textsInCode('const words = `It has ${count} left`'), ['It has … left'])
  t.strictSame(textsInCode("const key = 'sites.remove' // Not a text"), [])
})

t.test('values are escaped, and tags become elements', async t => {
  const link = '/account?a="b"'
  const whole = m('customer.whatYouPutThere', { sftp: 'yes', link })
  t.match(whole, 'by <a href="/account?a=&quot;b&quot;">SFTP</a> is public')
  t.equal(
    m('parts.removeDatabase', { database: '<i>' }),
    'Remove<span class="hidden"> &lt;i&gt;</span>',
  )
  t.match(m('customer.measuredTime', { time: raw('<time>') }), 'measured <time>')
})

t.test('plurals and numbers are those of the language', async t => {
  t.equal(text('sites.roomNumber', { max: 1 }), '1 website')
  t.equal(text('sites.roomNumber', { max: 1284 }), '1,284 websites')
  t.equal(text('words.gb', { value: 1.53 }), '1.5 GB')
})

t.test('the language is the browser’s if there is a catalogue for it', async t => {
  t.equal(preferred('de-AT,de;q=0.9,en-US;q=0.8'), 'en')
  t.equal(preferred(undefined), 'en')
  t.equal(
    inLanguage('en', () => text('words.now')),
    'now',
  )
})
