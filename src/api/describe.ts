import { writeFileSync } from 'node:fs'
import { stringify } from 'yaml'
import { describe } from './openapi.ts'

/** The description as the file of it has to be: `npm run describe` writes it, a test compares. */
export const toYaml = (): string =>
  '# Made by `npm run describe` from src/api and src/model: do not edit.\n' +
  // Readers of YAML 1.1 are about: what would be a time or a yes to them is quoted.
  stringify(describe(), { version: '1.1', aliasDuplicateObjects: false, lineWidth: 100 })

if (import.meta.main) writeFileSync('provisioning-openapi.yaml', toYaml())
