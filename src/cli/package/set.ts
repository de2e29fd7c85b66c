import { Option } from 'clipanion'
import { z } from 'zod'
import { packageName } from '../../model/grammar/grammar.ts'
import {
  byLimit,
  exampleFields,
  type LimitName,
  type Limits,
  limits,
  limitSchemas,
} from '../../model/sellers/package-limits.ts'
import { set } from '../../model/sellers/packages.ts'
import { fields } from '../columns.ts'
import { argument } from '../completion/completers.ts'
import { optionOf, wholeNumber, yesOrNo } from '../words.ts'
import { WriteCommand } from '../write-command.ts'

const all = 'all'

// Items between commas.
const words = z.string().transform(text => (text === all ? [] : text.split(',')))

type Schemas = {
  [Name in LimitName]: z.ZodOptional<z.ZodType<Limits[Name], string>>
}

const Words = z.object({
  name: packageName,
  ...byLimit<Schemas>(({ name, range, list, choices }) =>
    list !== undefined
      ? words.pipe(limitSchemas[name] as z.ZodType<string[], string[]>).optional()
      : choices !== undefined
        ? (limitSchemas[name] as z.ZodType<string, string>).optional()
        : range === undefined
          ? yesOrNo.optional()
          : wholeNumber.pipe(limitSchemas[name] as z.ZodType<number, number>).optional(),
  ),
})

type LimitOptions = { [Name in LimitName]: string | undefined }

const options = () =>
  byLimit<LimitOptions>(({ name, meaning, range, list, choices }) =>
    Option.String(optionOf(name), {
      description: list
        ? `${meaning}, and so does "${all}"`
        : range
          ? meaning
          : `${meaning}: ${choices ? choices.join(', ') : 'yes or no'}`,
    }),
  )

const example = limits.flatMap(({ name }) =>
  exampleFields[name] === undefined ? [] : [`${optionOf(name)} ${exampleFields[name]}`],
)

export interface PackageSetCommand extends LimitOptions {}

export class PackageSetCommand extends WriteCommand {
  static override summary = 'create or update a package'
  static override details = `
    Omitted limits get their default in a new package and stay unchanged in an existing one.
    Changes apply to all accounts on the package.
  `
  static override examples = { 'Offer three websites in 2 GB': `$0 starter ${example.join(' ')}` }

  name = argument('NAME', 'packages')

  constructor() {
    super()
    Object.assign(this, options())
  }

  act() {
    return this.write(set, this.parse(Words), fields)
  }
}
