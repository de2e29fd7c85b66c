// Files in public folders that are not for visitors: the sources of programs, and their secrets. As
// regular expressions (PCRE) for paths, whatever their case.

// Extensions of PHP programs and their copies: .php74, .phpbak. Files ending in .php are run.
const source = 'php[a-z0-9]+|pht|phtml|phar|inc'

// Pages saved under a script's address end like this.
const shown = 'php html htm js mjs css svg png jpg jpeg gif webp avif ico pdf'
  .split(' ')
  .map(end => `\\.${end}`)
  .join('|')

// Copies that editors, tools and people leave have any name: .php~, .php.bak, .php_old,
// .php.2026-11-26.
const sourcesWith = (rest: string): string =>
  [
    `\\.(?:${source}|sql)$`,
    `\\.(?:php|${source}|sql)[^a-z0-9/]${rest}(?<!${shown})$`,
    `/composer\\.(?:json|lock)${rest}$`,
  ].join('|')

/** Files that are served if their website is set to serve sources: none ends in .php. */
export const sources = sourcesWith('[^/]*')

/**
 * The same for paths that visitors choose, as only PCRE has it: trying shorter ends of a long path
 * would take seconds, in which nginx answers no other visitor.
 */
export const requestedSources = sourcesWith('[^/]*+')

// Names that begin with a dot, but not those in folders with such names.
const dotted = '/\\.(?!well-known$)[^/]*$'

/** Files that are never served: they contain credentials. */
export const secrets = [dotted, '/auth\\.json[^/]*$', '/wp-config\\.[^/]*$'].join('|')
