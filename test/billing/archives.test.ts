import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { unzipSync } from 'fflate'
import t, { type Test } from 'tap'
import {
  build,
  findModules,
  inOneFile,
  readModule,
  readShared,
  toArchive,
  type Files,
  type Module,
} from '../../billing/module.ts'
import { stumbles } from './old-php.ts'
import { usual, withoutPhp } from './php.ts'
import { unpack } from './unpack.ts'

// The archives that `npm run billing` makes of the sources.

const shared = join(import.meta.dirname, '../../billing/shared')
const modules = await findModules()
const text = (bytes: Uint8Array | undefined) => new TextDecoder().decode(bytes)

/** A module of one file, as for FOSSBilling. */
const single: Module = {
  system: 'single',
  title: 'Single',
  version: '1.2.3',
  oldestPhp: '7.4',
  namespace: 'Panel\\Single',
  shared: 'library/Panel.php',
  documents: 'panel',
}

t.test('each archive holds the module, its documents and nothing else', async t => {
  for (const module of modules) {
    const unzipped = unzipSync(toArchive(await build(module)))
    const names = Object.keys(unzipped)
    for (const name of ['README.md', 'CHANGELOG.md', 'LICENSE']) {
      t.ok(names.includes(`${module.documents}/${name}`), `${module.system} has its ${name}`)
    }
    t.match(text(unzipped[`${module.documents}/CHANGELOG.md`]), `## ${module.version}`)
    for (const [name, bytes] of Object.entries(unzipped)) {
      t.notMatch(text(bytes), /Panel\\Billing|@version@/, name)
      t.notMatch(name, /^\/|\.\.|module\.json$/)
    }
  }
})

t.test('the same sources make the same bytes, wherever and whenever', async t => {
  for (const module of modules) {
    const first = toArchive(await build(module))
    const zone = process.env['TZ']
    process.env['TZ'] = 'Pacific/Auckland'
    const again = toArchive(await build(await readModule(module.system)))
    if (zone === undefined) delete process.env['TZ']
    else process.env['TZ'] = zone
    t.ok(Buffer.from(first).equals(again), module.system)
  }
})

t.test('every file is one that the oldest PHP of its system reads', async t => {
  for (const name of await readdir(shared)) {
    t.strictSame(stumbles('7.4', await readFile(join(shared, name), 'utf8')), [], name)
  }
  for (const module of modules) {
    for (const [name, bytes] of phpOf(await build(module))) {
      t.strictSame(stumbles(module.oldestPhp, text(bytes)), [], `${module.system} ${name}`)
    }
  }
})

t.test('syntax of a newer PHP is found', async t => {
  const newer: [version: string, code: string][] = [
    ['8.0', '$a = match (1) { default => 2 };'],
    ['8.0', '$a?->b();'],
    ['8.0', 'f(a: 1);'],
    ['8.0', '$a = $b ?? throw new E();'],
    ['8.0', 'try { } catch (E) { }'],
    ['8.0', 'function f($a,) { }'],
    ['8.0', 'function f(int|string $a) { }'],
    ['8.0', 'class A { function __construct(private int $a) { } }'],
    ['8.0', 'function f(mixed $a) { }'],
    ['8.0', 'class A { function f(): static { } }'],
    ['8.0', '$b = $a::class;'],
    ['8.0', 'if (str_contains($a, $b)) { }'],
    ['8.0', '\\str_starts_with($a, $b);'],
    ['8.1', 'enum A { case B; }'],
    ['8.1', '$f = strlen(...);'],
    ['8.1', 'function f(): never { }'],
    ['8.1', 'class A { public readonly int $a; }'],
    ['8.1', 'function f($a = new B) { }'],
    ['8.1', '$a = 0o17;'],
    ['8.1', 'array_is_list($a);'],
    ['8.2', 'readonly class A { }'],
    ['8.2', 'function f(): null { }'],
    ['8.3', 'class A { const string B = "1"; }'],
    ['8.3', 'json_validate($a);'],
  ]
  const before: Record<string, string> = { '8.0': '7.4', '8.1': '8.0', '8.2': '8.1', '8.3': '8.2' }
  for (const [since, code] of newer) {
    t.not(stumbles(before[since]!, `<?php\n${code}`).length, 0, `${code} before ${since}`)
    t.strictSame(stumbles(since, `<?php\n${code}`), [], `${code} in ${since}`)
  }
  const old = 'class A { private ?int $a = null; } $f = fn($x) => $x ?? 1; $a ??= 2;'
  t.strictSame(stumbles('7.4', `<?php\n${old}\nfunction f(\n#[A]\n$a\n) { }`), [])
})

t.test('every PHP file declares strict types, before anything else', async t => {
  for (const module of modules) {
    for (const [name, bytes] of await build(module)) {
      if (!name.endsWith('.php')) continue
      const code = text(bytes).replace(/^<\?php\n\n(\/\*\*[^]*?\*\/\n\n)?/, '')
      t.ok(code.startsWith('declare(strict_types=1);\n'), `${module.system} ${name}`)
      t.equal(code.split('strict_types').length, 2, `${module.system} ${name}: once`)
    }
  }
})

t.test('PHP itself reads every file', { skip: withoutPhp }, async t => {
  for (const module of modules) await lint(t, await build(module))
  const shared = [...(await readShared(single))]
  await lint(t, new Map(shared.map(([name, code]) => [name, Buffer.from(code)])))
})

t.test('a module of one file has all of it in there', { skip: withoutPhp }, async t => {
  const own = `<?php

/**
 * Copyright.
 */

declare(strict_types=1);

use Panel\\Single\\Names;

class Whole
{
    public static function domain(): string
    {
        return Names::domain('www.A.example');
    }
}
`
  const whole = inOneFile(own, await readShared(single))
  t.match(whole, /^<\?php\n\n\/\*\*\n \* Copyright/)
  t.strictSame(stumbles('7.4', whole), [])
  const folder = await unpack(t, new Map([['Whole.php', Buffer.from(whole)]]))
  const { stdout } = await promisify(execFile)('php', [
    ...usual,
    '-r',
    `require $argv[1]; echo Whole::domain();
     new Panel\\Single\\Client(new Panel\\Single\\Address("h"), "t");`,
    join(folder, 'Whole.php'),
  ])
  t.equal(stdout, 'a.example')
})

const phpOf = (files: Files) => [...files].filter(([name]) => /\.(php|pdt)$/.test(name))

async function lint(t: Test, files: Files): Promise<void> {
  const cwd = await unpack(t, files)
  const check = ([name]: [string, Uint8Array]) =>
    promisify(execFile)('php', ['-n', '-l', name], { cwd }).catch((error: Error) => {
      t.fail(error.message)
    })
  await Promise.all(phpOf(files).map(check))
  t.pass()
}
