import { createRequire } from 'node:module'

// Whether an old PHP can read a text. The parser is given that PHP's version and refuses newer
// grammar; what it accepts all the same is searched in its tree.

// Its types leave out that it is an ES5 class without a module of its own.
const { Engine } = createRequire(import.meta.url)('php-parser') as {
  Engine: new (options: object) => { parseCode: (code: string, name: string) => Node }
}

type Node = { kind?: string; loc?: { start: { line: number } | null } } & Record<string, any>

const isType = (node: Node, ...names: string[]) =>
  node.kind === 'typereference' && names.includes(String(node['name']).toLowerCase())
const holdsNew = (node: Node | null | undefined) => node?.kind === 'new'
const isNamed = (node: Node | undefined, names: Set<string>) =>
  node?.kind === 'name' && names.has(String(node['name']).replace(/^\\/, '').toLowerCase())

const words = (text: string) => new Set(text.trim().split(/\s+/))
const functions = {
  '8.0': words('str_contains str_starts_with str_ends_with get_debug_type get_resource_id fdiv'),
  '8.1': words('array_is_list enum_exists fsync fdatasync'),
  '8.2': words('ini_parse_quantity curl_upkeep memory_reset_peak_usage'),
  '8.3': words('json_validate mb_str_pad str_increment str_decrement'),
  '8.4': words('array_find array_any array_all mb_trim mb_ucfirst mb_lcfirst'),
}

const rules: [since: string, what: string, is: (node: Node) => boolean][] = [
  ['8.0', 'a union type', node => node.kind === 'uniontype'],
  ['8.0', 'a promoted parameter', node => node.kind === 'parameter' && node['flags'] > 0],
  ['8.0', 'the type mixed', node => isType(node, 'mixed')],
  ['8.0', 'the type static', node => isType(node, 'static')],
  ['8.1', 'the type never', node => isType(node, 'never')],
  ['8.2', 'the types null, true and false', node => isType(node, 'null', 'true', 'false')],
  [
    '8.0',
    'the class of an object',
    node =>
      node.kind === 'staticlookup' &&
      node['offset']?.name === 'class' &&
      node['what']?.kind === 'variable',
  ],
  [
    '8.1',
    'a read-only property',
    node => ['property', 'parameter'].includes(node.kind!) && node['readonly'] === true,
  ],
  ['8.2', 'a read-only class', node => node.kind === 'class' && node['isReadonly'] === true],
  ['8.1', 'new in a default', node => node.kind === 'parameter' && holdsNew(node['value'])],
  [
    '8.3',
    'new in a static',
    node => node.kind === 'staticvariable' && holdsNew(node['defaultValue']),
  ],
  ['8.1', 'octal with o', node => node.kind === 'number' && /^0o/i.test(String(node['value']))],
  ['8.4', 'hooks of a property', node => (node['hooks'] as unknown[] | undefined)?.length! > 0],
  ...Object.entries(functions).map(([since, names]): (typeof rules)[number] => [
    since,
    'a function',
    node => node.kind === 'call' && isNamed(node['what'], names),
  ]),
]

/** Everything in a text that PHP of that version (as in «7.4») can't read, with its line. */
export function stumbles(version: string, code: string): string[] {
  const [major, minor] = version.split('.').map(Number)
  const options = { parser: { version: major! * 100 + minor! }, ast: { withPositions: true } }
  let tree: Node
  try {
    tree = new Engine(options).parseCode(code, 'text.php')
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)]
  }
  const found: string[] = []
  const visit = (node: Node): void => {
    for (const [since, what, is] of rules) {
      if (Number(since) > Number(version) && is(node)) {
        found.push(`${what} on line ${node.loc?.start?.line} needs ${since}`)
      }
    }
    for (const [name, value] of Object.entries(node)) {
      if (name === 'loc' || value === null || typeof value !== 'object') continue
      for (const child of Array.isArray(value) ? value : [value]) {
        if (child !== null && typeof child === 'object') visit(child)
      }
    }
  }
  visit(tree)
  return found
}
