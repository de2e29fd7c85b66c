// What lies in public folders and is no visitor's: the source of programs, and their secrets. As
// regular expressions (PCRE) for paths, whatever their case.

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

/** Files that are served where their website is set to: none with the end .php is among them. */
export const sources = [
  `\\.(?:${source}|sql)$`,
  `\\.${copied}(?<!${shown})$`,
  '/composer\\.(?:json|lock)[^/]*$',
].join('|')

/** Files that never are, as names that begin with a dot never are: what is in them opens others. */
export const secrets = ['/auth\\.json[^/]*$', '/wp-config\\.[^/]*$'].join('|')
