// Text from outside (names, reasons, contents of files) must not move the terminal's cursor, colour
// it, or reverse the direction of the text.

const invisible =
  /[\p{Cc}\p{Cs}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb]/gu

/** Returns the text without control characters, in one line. */
export const oneLine = (text: string): string =>
  text.replace(/[\r\n\t]+/g, ' ').replace(invisible, '')

/** Returns the text without control characters; its line breaks stay. */
export const lines = (text: string): string => text.split('\n').map(oneLine).join('\n')

/** Returns a result as a line of JSON, with the same characters escaped: a script loses none. */
export const json = (result: object): string =>
  `${JSON.stringify(result).replace(invisible, escaped)}\n`

const escaped = (character: string): string =>
  `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
