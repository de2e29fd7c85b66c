// Characters that show nothing, as bodies of classes in regular expressions. The database has the
// same list (has_hidden.sql).

/**
 * Control characters, those that turn the direction of text, halves of characters, and what is
 * otherwise invisible: Unicode's default-ignorable code points, and separators of lines. Left out
 * are joiners and variation selectors, without which several scripts and emoji cannot be written.
 */
const never =
  '\\0-\\x1f\\x7f-\\x9f\\xad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b' +
  '\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u206f\\u3164\\ud800-\\udfff\\ufeff\\uffa0' +
  '\\ufff0-\\ufffb\\u{1bca0}-\\u{1bca3}\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e0fff}'

const joining = '\\u200c\\u200d\\ufe00-\\ufe0f'

/** All of them, for what has no use for joiners. */
export const hidden = never + joining

/** White space other than the ordinary one (Unicode's Zs). */
export const spaces = '\\xa0\\u1680\\u2000-\\u200a\\u202f\\u205f\\u3000'

// A joiner shows something behind a character that is not of ASCII, and only once.
const inText = new RegExp(
  `[${never}]|(?:^|[\\0-\\x7f${spaces}\\u200c\\u200d])[${joining}]|[\\u200c\\u200d]$`,
  'u',
)

/** Whether a text for people holds characters that they cannot see. */
export const hasHidden = (text: string): boolean => inText.test(text)
