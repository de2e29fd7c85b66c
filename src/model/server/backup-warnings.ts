import { z } from 'zod'

// Parts that a backup or a restore has left out: as codes in rows, as sentences for people.

/** A warning as rows and journals have it. */
export const BackupWarning = z.discriminatedUnion('code', [
  // Files changed or were removed while they were read.
  z.strictObject({ code: z.literal('files_not_read') }),
  // Pipes, sockets and devices are never restored.
  z.strictObject({ code: z.literal('special_files_left_out'), count: z.int() }),
  z.strictObject({ code: z.literal('dump_without_resource'), dump: z.string() }),
  z.strictObject({ code: z.literal('mailbox_without_resource'), mailbox: z.string() }),
  // `detail` is the line of the program that refused a statement of the dump.
  z.strictObject({ code: z.literal('statement_refused'), dump: z.string(), detail: z.string() }),
  z.strictObject({ code: z.literal('databases_not_included'), count: z.int() }),
  // `path` is shortened.
  z.strictObject({ code: z.literal('nested_too_deep'), path: z.string() }),
  // `detail` is what tar reported of a file.
  z.strictObject({ code: z.literal('file_left_out'), detail: z.string() }),
])
export type BackupWarning = z.infer<typeof BackupWarning>

/** A warning as people and scripts get it. */
export const ShownWarning = z.strictObject({
  code: z.string().describe('What was left out, for scripts'),
  message: z.string().describe('The same as a sentence'),
})
export type ShownWarning = z.infer<typeof ShownWarning>

type Code = BackupWarning['code']

const sentences: {
  [Each in Code]: (warning: Extract<BackupWarning, { code: Each }>) => string
} = {
  files_not_read: () => 'Some files could not be read',
  special_files_left_out: ({ count }) => `Pipes, sockets and devices (${count}) were left out`,
  dump_without_resource: ({ dump }) => `${dump}: the account no longer has what it is of`,
  mailbox_without_resource: ({ mailbox }) => `${mailbox}: the account has no such mailbox`,
  statement_refused: ({ dump, detail }) => `${dump}: ${detail}`,
  databases_not_included: ({ count }) =>
    `Account databases (${count}) are not included: back up each with panel database export`,
  nested_too_deep: ({ path }) => `${path}…: files nested too deep are left out`,
  file_left_out: ({ detail }) => detail,
}

// Another release may have written other codes: people get the code itself.
const OtherWarning = z.looseObject({ code: z.string() })

/** Returns the sentences of warnings, as rows have them. */
export const showWarnings = (rows: readonly unknown[]): ShownWarning[] =>
  rows.map(row => {
    const warning = BackupWarning.safeParse(row).data
    if (warning !== undefined) return { code: warning.code, message: sentenceOf(warning) }
    const { code } = OtherWarning.parse(row)
    return { code, message: code }
  })

const sentenceOf = <Each extends BackupWarning>(warning: Each): string =>
  (sentences[warning.code] as (warning: Each) => string)(warning)
