// Finds texts of pages that are not in the catalogue (src/web/texts): in the markup of templates,
// and in the literals of their code and of modules.

const literals = /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\\n]|\\.|\n(?!\n))*`/g
// Attributes that people read or hear.
const labels = /\s(?:aria-label|placeholder|title|alt|data-label|data-says)="([^"]*)"/g

const withoutComments = (code: string): string =>
  code.replaceAll(/\/\*[^]*?\*\//g, '').replaceAll(/(^|[\s;{(,])\/\/ .*$/gm, '$1')

// Words with a space between them, or one that is capitalised.
const isText = (text: string): boolean =>
  (/[A-Za-z’'"),.:]\s+[A-Za-z“("…]/.test(text) && /[A-Za-z]{2}/.test(text)) ||
  /^[A-Z][a-z]+[.…]?$/.test(text)

// Commands, headers, statements, markup and classes, which are the same in every language.
const isForMachines = (text: string): boolean =>
  /^\s*(panel|php|curl|systemctl|printf|-{1,2}[a-zA-Z])[ :]/.test(text) ||
  /^\s*--?\w/.test(text) ||
  /="|^<|^ *number extra|^[\w=-]+(, [\w=-]+)+$/.test(text)

const inText = /[A-Za-z]{2}|^[A-Z]$/

/** Returns the literals of a piece of code that look like texts, shortened. */
export const textsInCode = (code: string): string[] =>
  [...withoutComments(code).matchAll(literals)]
    .map(([literal]) => literal.slice(1, -1).replaceAll(/\$\{(?:[^{}]|\{[^{}]*\})*\}/g, '…'))
    .filter(text => isText(text) && !isForMachines(text))
    .map(text => text.slice(0, 80))

/** Returns the texts of a template: those of its markup, and those in its code. */
export function textsInTemplate(template: string): string[] {
  const code = [...template.matchAll(/<%[=~]?([^]*?)%>/g)].map(([, inner]) => inner!)
  const markup = template.replaceAll(/<%[^]*?%>/g, '\0')
  const attributes = [...markup.matchAll(labels)].map(([, value]) => value!)
  const nodes = markup.replaceAll(/<[a-z/!][^>]*>/gi, '\n').split('\n')
  return [
    ...[...attributes, ...nodes]
      .map(text => text.replaceAll('\0', '').trim())
      .filter(text => inText.test(text) && !text.includes('="')),
    ...code.flatMap(textsInCode),
  ]
}
