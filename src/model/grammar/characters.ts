// Invisible characters, as bodies of character classes in regular expressions. The database has the
// same list (has_hidden.sql).

/**
 * Control characters, direction overrides, lone surrogates, and otherwise invisible characters:
 * Unicode's default-ignorable code points, and line separators. Joiners and variation selectors are
 * left out, because several scripts and emoji need them.
 */
const never =
  '\\0-\\x1f\\x7f-\\x9f\\xad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b' +
  '\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u206f\\u3164\\ud800-\\udfff\\ufeff\\uffa0' +
  '\\ufff0-\\ufffb\\u{1bca0}-\\u{1bca3}\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e0fff}'

const joining = '\\u200c\\u200d\\ufe00-\\ufe0f'

/** All invisible characters, for texts that never need joiners. */
export const hidden = never + joining

/** White space other than the ordinary space (Unicode's Zs). */
export const spaces = '\\xa0\\u1680\\u2000-\\u200a\\u202f\\u205f\\u3000'

// A joiner is allowed once after a character outside ASCII, where it has a visible effect.
const inText = new RegExp(
  `[${never}]|(?:^|[\\0-\\x7f${spaces}\\u200c\\u200d])[${joining}]|[\\u200c\\u200d]$`,
  'u',
)

/** Returns whether a text for people contains invisible characters. */
export const hasHidden = (text: string): boolean => inText.test(text)
