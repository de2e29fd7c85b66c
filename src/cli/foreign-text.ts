// What others wrote (names, reasons, a file's words) may not move the cursor of whoever reads it,
// colour the terminal, or turn the direction of the text around.

const invisible =
  /[\p{Cc}\p{Cs}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb]/gu

/** The text without control characters, in one line. */
export const oneLine = (text: string): string =>
  text.replace(/[\r\n\t]+/g, ' ').replace(invisible, '')

/** The text without control characters, in the lines that it has. */
export const lines = (text: string): string => text.split('\n').map(oneLine).join('\n')

/** A result for programs, on one line, whose texts can be shown as they are. */
export const json = (result: object): string => `${JSON.stringify(result, printable)}\n`

const printable = (_name: string, value: unknown) =>
  typeof value === 'string' ? oneLine(value) : value
