import t from 'tap'
import { countWord, countWords, retiredWords, searchedFiles } from './retired-words.ts'

// The retired words stay out, in names and in sentences.

const found = (word: string, text: string, file = 'src/model/site.ts'): number =>
  countWord(retiredWords[word]!, file, text)

t.test('retired words are found in names and in sentences', async t => {
  for (const [word, text] of [
    ['door', 'const frontDoor = doors'],
    ['noun', 'type SiteNoun = Noun'],
    ['wanted', 'toWanted(is_wanted, wantedState)'],
    ['wants', 'select wants from panel.operations'],
    ['carry out', 'carryOut(write) // carries out'],
    ['park', 'is_parked || parkedAt'],
    ['judge', 'judgeLogin()'],
    ['settle', 'panel.settle_site()'],
    ['patience', 'patienceMs'],
    ['tries', 'maxTries, tries'],
    ['under way', 'isUnderWay // under way'],
    ['stray', 'findStrays()'],
    ['stranger', 'strangersOf()'],
    ['the house', 'one of the house'],
    ['whoever', '// Whoever asks'],
    ['nobody', '// Nobody waits'],
    ['said', 'saidOfImport(said)'],
    ['owner', 'getOwner(ownerId)'],
    ['held', 'heldFrom, isHeld, v_held'],
    ['look', 'lookAtFiles(lookMs)'],
    ['place', 'placesOf(CronPlace)'],
    ['most', 'rowsAtMost, mostRows'],
    ['way back', "import './way-back.ts'"],
    ['headless comment', '// Whose turn it is'],
  ] as const) {
    t.ok(found(word, text) > 0, `${word}: ${text}`)
  }
  t.equal(found('headless title', "t.test('what is', …)", 'test/a.test.ts'), 1)
})

t.test('words that look alike are not', async t => {
  for (const [word, text] of [
    ['tries', 'retries, entries, countries'],
    ['tries', 'panel_delivery_tries_in_flight'],
    ['wants', '/etc/systemd/system/sockets.target.wants'],
    ['wants', 'it wants to'],
    ['settle', 'await Promise.allSettled(all)'],
    ['owner', 'panel_owner, { owner }, accountOwner'],
    ['most', 'atMost(3)'],
    ['park', 'sparkle'],
    ['headless comment', '// What if it ends?'],
  ] as const) {
    t.equal(found(word, text), 0, `${word}: ${text}`)
  }
  t.equal(found('tries', '{ tries: 2 }', 'src/outside/resolver.ts'), 0)
  t.equal(found('owner', 'ownerOf(path)', 'src/host/files/look.ts'), 0)
})

t.test('no file uses a retired word', async t => {
  t.ok(searchedFiles().length > 1000)
  for (const [word, files] of Object.entries(countWords())) {
    for (const [file, count] of Object.entries(files)) {
      t.fail(`${file}: «${word}» ${count} times, write: ${retiredWords[word]!.use}`)
    }
  }
})
