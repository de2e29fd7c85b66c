// Files with a hash of their content in their name, as bundlers write them. A changed file has
// another name, so browsers may keep one for good. The patterns (PCRE) rather miss one than take a
// name that people or programs use again for other content: dates, versions, words, numbers of
// rows, UUIDs. What they repeat is bounded, as visitors choose the paths.

// Folders in which everything has a hash or the number of a build: Next.js, SvelteKit, Astro, Nuxt.
const folders = [
  '_next/static/(?!development/)',
  '_app/immutable/',
  '_astro/',
  '_nuxt/(?!builds/)',
].join('|')

// Hexadecimal hashes of the usual lengths, with a letter and a digit: webpack, Parcel, Vite 2 to 4,
// Angular, Rails, Django. Twelve digits after a dash could be the end of a UUID.
const hex =
  '(?=[0-9]{0,63}[a-f])(?=[a-f]{0,63}[0-9])' +
  '(?:[0-9a-f]{8}|(?<=\\.)[0-9a-f]{12}|[0-9a-f]{16}|[0-9a-f]{20}|[0-9a-f]{32}|[0-9a-f]{64})'

// Eight characters of base64url: Vite, Rollup. Upper and lower case, and a digit followed by a
// letter, unlike words and words with a number.
const base64 = '(?=[\\w-]{0,7}[A-Z])(?=[\\w-]{0,7}[a-z])(?=[\\w-]{0,6}[0-9][A-Za-z])[\\w-]{8}'

const hashed = `[^/]*[.-](?:${hex}|${base64})(?:\\.(?:chunk|bundle|module|min))?\\.`

// Programs and fonts with such a name are written by bundlers; pictures only in their folders.
const programs = 'm?js|css|wasm|woff2?|ttf|otf|eot'
const pictures = 'png|jpe?g|gif|svg|webp|avif|ico|mp4|webm|mp3'
const outputs = '(?:.*/)?(?:assets|static|build|dist)/'

// A pattern of the whole paths of such files.
const hashedPath =
  `(?s)(?=/)(?:(?>.*/)${hashed}(?:${programs})\\z` +
  `|(?=/${outputs})(?>.*/)${hashed}(?:${pictures})\\z` +
  `|(?:/.*)?/(?:${folders})[^/])`

/**
 * An nginx map to the `Cache-Control` of a file, unless its path is that of a folder, which is
 * redirected. The answer to a request with a password, whose scheme comes before the path here,
 * must not be shown to others by shared caches.
 */
export const hashedMap = `map $status$http_authorization$uri $panel_keeping {
    "~^(?:200|206|304)${hashedPath}" "public, max-age=31536000, immutable";
    default "";
}
`
