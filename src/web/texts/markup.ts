// Markup in texts: `<strong>`, `<link>` and others in a message become elements.

/** Markup that another template has made, which is not escaped again. */
export class Markup {
  readonly html: string

  constructor(html: string) {
    this.html = html
  }
}

/** The attributes of an element in a text; a text alone is the address of a link. */
export type Tag = string | { href?: string; class?: string; [attribute: string]: unknown }

const characters: Record<string, string> = {
  ...{ '&': '&amp;', '<': '&lt;', '>': '&gt;' },
  ...{ '"': '&quot;', "'": '&#39;' },
}

/** Escapes a text for HTML, as templates do. */
export const escape = (text: string): string =>
  /[&<>"']/.test(text) ? text.replaceAll(/[&<>"']/g, one => characters[one]!) : text

// Names of tags in messages, other than elements of the same name.
const classes: Record<string, string> = { mono: 'mono', quiet: 'quiet', hidden: 'hidden' }
const elements = new Set(['strong', 'code', 'bdi', 'b', 'em', 'kbd'])

/** Returns the function that puts the content of a tag of a message into its element. */
export function elementOf(name: string, given?: Tag): (content: string[]) => string {
  const attributes = typeof given === 'string' ? { href: given } : { ...given }
  const known = classes[name]
  if (known !== undefined) attributes.class ??= known
  const element = attributes.href !== undefined ? 'a' : elements.has(name) ? name : 'span'
  const texts = Object.entries(attributes).map(([key, value]) =>
    value === undefined || value === false ? '' : ` ${key}="${escape(String(value))}"`,
  )
  const start = `<${element}${texts.join('')}>`
  return content => `${start}${content.join('')}</${element}>`
}
