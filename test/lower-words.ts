import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { countWords } from './retired-words.ts'

// Lowers the counts of `remaining-words.json` to what is found; raises none and adds none.

const path = join(import.meta.dirname, 'remaining-words.json')
const remaining: Record<string, Record<string, number>> = JSON.parse(readFileSync(path, 'utf8'))
const counts = countWords()

for (const [word, files] of Object.entries(remaining)) {
  for (const [file, allowed] of Object.entries(files)) {
    const count = Math.min(counts[word]?.[file] ?? 0, allowed)
    if (count > 0) files[file] = count
    else delete files[file]
  }
  if (Object.keys(files).length === 0) delete remaining[word]
}

writeFileSync(path, `${JSON.stringify(remaining, null, 2)}\n`)
