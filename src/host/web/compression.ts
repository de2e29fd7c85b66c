import { contentTypes } from './content-types.ts'

// Answers that nginx compresses: text, and what compresses like it. Images, sound, video, archives
// and WOFF fonts are compressed already. Answers to a range are parts of the uncompressed file, and
// event streams keep their own type, so they are not delayed.

const others = new Set([
  'application/rtf',
  'application/vnd.apple.mpegurl',
  'application/vnd.ms-fontobject',
  'application/wasm',
  'font/otf',
  'font/ttf',
  'image/bmp',
  'image/x-icon',
])

const isText = (type: string): boolean =>
  /^text\/|[/+](?:json5?|xml|yaml)$/.test(type) || others.has(type)

// Types that scripts send and no extension has here.
const ofScripts = ['application/javascript', 'application/x-javascript', 'application/xml']

/**
 * The types that are compressed, as headers have them. nginx compares the type of a file with its
 * parameters, and that of a script's answer without.
 */
export const compressedTypes: readonly string[] = [
  ...new Set(
    [...contentTypes.keys(), ...ofScripts].flatMap(type => {
      const [bare = ''] = type.split(';')
      return isText(bare) ? [type, bare] : []
    }),
  ),
  // nginx always compresses HTML, and warns if it is listed.
].filter(type => type !== 'text/html')

// A shorter answer fits into one packet with its headers.
const minBytes = 1_000

// Where more work stops paying for a page or a script: gzip's level 6 takes 15 to 30 % longer than
// 5 for 1 to 3 % less, and Brotli's 5 makes 6 to 9 % less of it than its 4.
const level = 5

const renderTypes = (directive: string): string =>
  `${directive}\n        ${compressedTypes.map(type => `"${type}"`).join('\n        ')};`

/**
 * Renders compression, indented by four spaces. Caches keep an answer for each encoding (`Vary`),
 * so answers to proxies are compressed too.
 */
export const renderCompression = ({ hasBrotli }: { hasBrotli: boolean }): string =>
  [
    'gzip on;',
    'gzip_vary on;',
    'gzip_proxied any;',
    `gzip_comp_level ${level};`,
    `gzip_min_length ${minBytes};`,
    renderTypes('gzip_types'),
    ...(hasBrotli
      ? [
          'brotli on;',
          `brotli_comp_level ${level};`,
          `brotli_min_length ${minBytes};`,
          renderTypes('brotli_types'),
        ]
      : []),
  ].join('\n    ')
