// What lies in public folders and is no visitor's: the source of programs, and their secrets.

// Ends of names that PHP programs are given, and their copies: .php74, .phpbak. Files with the end
// .php are run.
const source = 'php[a-z0-9]+|pht|phtml|phar|inc'

// Copies that editors, tools and people leave are called anything: .php~, .php.bak, .php_old,
// .php.2026-11-26. What is left of them are pages saved under the address of a script.
const copied = `(?:php|${source}|sql)[^a-z0-9/][^/]*`
const shown = 'php html htm js mjs css svg png jpg jpeg gif webp avif ico pdf'
  .split(' ')
  .map(end => `\\.${end}`)
  .join('|')

/** A regular expression (PCRE) for paths, whatever their case, of files that are never served. */
export const neverServed = [
  `\\.(?:${source}|sql)$`,
  `\\.${copied}(?<!${shown})$`,
  '/composer\\.(?:json|lock)[^/]*$',
  '/auth\\.json$',
  '/wp-config\\.[^/]*$',
].join('|')
