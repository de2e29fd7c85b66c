import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

// The words that GLOSSARY.md and STYLE.md have replaced, and how to find them.

/** A use that stays: in these files, or everywhere; this text, or the whole file. */
type Kept = { in?: RegExp; text?: RegExp; why: string }

type RetiredWord = {
  /** Finds each use; must be global. */
  is: RegExp
  /** What to write instead. */
  use: string
  /** The files it applies to: all of them if left out. */
  in?: RegExp
  kept?: Kept[]
}

const root = join(import.meta.dirname, '..')

// Beginnings of comments that hide their subject.
const headless = [
  'Wh(at|atever|o|ose|om|ich)',
  'How',
  'Of',
  'Nobody',
  'That of',
  'Those',
  'One that',
]

const code = /\.(ts|js|cjs|sql|php)$/
const php = /\.php$/
const names = /\.(ts|js|cjs|sql)$/

const reservedNames: Kept = {
  in: /^docs\/reference\/accounts\.md$|reserved-names|reserved_names/,
  text: /\b(nobody|sidedoor)\b/g,
  why: 'usernames that Debian reserves',
}

export const retiredWords: Record<string, RetiredWord> = {
  door: { is: /\w*door\w*/gi, use: 'channel', kept: [reservedNames] },
  noun: {
    is: /\b\w*nouns?\b/gi,
    use: 'resource kind',
    kept: [
      { in: /^STYLE\.md$/, text: /`verb_noun`/g, why: 'grammar: how SQL functions are named' },
      { in: /^billing\//, text: /(pro)?nouns? of/gi, why: 'grammar' },
    ],
  },
  wanted: {
    is: /(?<!un)wanted|[wW]anted(?=[A-Z_])|\bunwanted\b|[a-z]Wanted\b/g,
    use: 'desired',
    kept: [{ in: /^systemd\/|^src\/host\//, text: /^WantedBy=/gm, why: 'a setting of systemd' }],
  },
  wants: {
    is: /\b(p_|v_|is_)?wants(_\w+)?\b(?! (to|a|an|the|it|that|none)\b)/g,
    use: 'params',
    in: code,
    kept: [{ text: /\.target\.wants|requires\|wants/g, why: 'a folder of systemd' }],
  },
  'carry out': { is: /\bcarr(y|ies|ied|ying)[ _-]out\b|\w*carr(y|ied)Out\w*/gi, use: 'execute' },
  park: {
    is: /\b(un)?park(s|ed|ing)?\b|\w+Park(ed|s)?\b|\bpark(ed)?[A-Z_]\w*|_parked\b/gi,
    use: 'blocked (operation), suspend (resource)',
  },
  judge: { is: /\w*judg(e|ing|ment)\w*/gi, use: 'validate, decide, check, measure' },
  settle: {
    is: /\w*settl(e|ing)\w*/gi,
    use: 'complete, finish',
    kept: [
      { text: /Promise\s*\.allSettled/g, why: 'JavaScript' },
      { text: /systemd-udev-settle/g, why: 'a unit of systemd' },
    ],
  },
  patience: { is: /\b\w*patien(ce|t)\w*\b/gi, use: 'timeout, poll interval' },
  tries: {
    is: /\b(\w+_)?[tT]ries\b|\btries[A-Z_]\w*|[a-z]Tries\b|\bTRIES\b|\bLAST TRY\b/g,
    use: 'attempts; as a verb: attempts, tests',
    kept: [
      { text: /panel_delivery_tries_in_flight/g, why: 'a metric that the reference promises' },
      {
        text: /\btries: (\d|attempts)/g,
        in: /^src\/(acme|cli|outside)\//,
        why: 'an option of node’s Resolver',
      },
    ],
  },
  'under way': { is: /\bunder way\b|\bunderway\b|\w*under_?Way\w*/gi, use: 'in progress' },
  stray: { is: /\b\w*stray(s|ed)?\b|\bstrays?[A-Z_]\w*/gi, use: 'orphaned, unmanaged' },
  stranger: { is: /\w*stranger\w*/gi, use: 'unmanaged, another account or reseller' },
  anew: { is: /\banew\b/gi, use: 'again' },
  beside: { is: /\bbeside\b/gi, use: 'next to, in addition to' },
  'the house': {
    is: /\bthe house\b|\b(is|of)House\b|\b\w+_house\b/gi,
    use: 'the server’s own, of the administrators',
  },
  whoever: { is: /\bwho(m|so)?ever\b/gi, use: 'the actor: the caller, an administrator' },
  somebody: { is: /\bsomebody\b/gi, use: 'the actor: the caller, an administrator' },
  nobody: {
    is: /\bnobody\b|OfNobody\b/gi,
    use: 'the actor: no user, no process, no caller',
    kept: [
      reservedNames,
      { in: /^docs\/decisions\/0003/, text: /`nobody`/g, why: 'a Linux user' },
      { in: /^docs\/decisions\/0027/, text: /`nobody`/g, why: 'a Linux user' },
      { in: /^docs\/reference\/errors\.md$/, text: /nobody-here/g, why: 'an unknown username' },
      { in: /^src\/host\/|^test\/|^release\//, text: /'nobody'/g, why: 'a Linux user' },
      { in: /^src\/start\//, text: /(['`]|postgres or )nobody\b/g, why: 'a Linux user' },
    ],
  },
  told: {
    is: /\btold\b|\w+Told\b|\btold[A-Z]\w*|\b(is|Log)Telling\b/gi,
    use: 'report, return, log, notify',
  },
  tell: {
    is: /\btells?\b|\btelling\b/gi,
    use: 'report, return, log, show',
    kept: [{ text: /\btell(s|ing)?\b[^.;]{0,40}\bapart\b/g, why: 'tell apart' }],
  },
  said: {
    is: /\bsaid\b|\bsaid[A-Z]\w*|\b(is|was)Said\b|\bunsaid\b/gi,
    use: 'output, text, message, flash',
  },
  sold: { is: /\b(un|re)?sold\b/gi, use: 'offered by' },
  owner: {
    is: new RegExp(
      [
        String.raw`\b(p_)?owner_(id|role)\b|\b(add|parent|tokens|sessions)_owner\b`,
        String.raw`\bowners_reseller\b|\bpanel\.owners\b`,
        String.raw`\bowner(Id|Pages?|Password)\b|\bowners(Password|Of)\b`,
        String.raw`\b(as|of|is|unknown)Owners?\b|\b(New|Listed)Owner\b`,
        String.raw`\b(add|get|find|ensure|open|list|changed)Owners?(Session)?\b`,
      ].join('|'),
      'g',
    ),
    use: 'operator',
    in: names,
    kept: [
      {
        in: /^(src|test)\/(host|install|backup|machine)\//,
        text: /\b(owners?Of|ensureOwner)\b/g,
        why: 'of a file',
      },
      { in: /^(src|test)\/host\//, text: /\bisOwners?\b/g, why: 'of a file' },
    ],
  },
  held: {
    is: /\bheld[A-Z_]\w*|\w+(Held|_held)\b|\bhold(Up|At|Pool|Api|Back)\w*|\bstartHold\b/g,
    use: 'locked, paused, suspended, reserved: which of them',
    in: names,
  },
  look: {
    is: new RegExp(
      [
        String.raw`\b\w*look(At|Again|Now|Within|ForAll|AndReport|AndShow)\w*`,
        String.raw`\b\w+Look\b|\blooks?(At|Within)\w*|\blook(Limit)?Ms\b`,
        String.raw`\w*_?looked_at\b|\w*look_again\w*|\w*_is_look\b`,
      ].join('|'),
      'g',
    ),
    use: 'check, recheck, read, compare',
    in: names,
  },
  place: {
    is: /\b\w*[a-z]Places?(Of\w*)?\b|\bplaces?[A-Z]\w*|\w+_places?\b/g,
    use: 'slot, path, item',
    in: names,
  },
  most: {
    is: /\b(?!at(Most|Least)\b)[a-z]+At(Most|Least)\b|\b(most|least)[A-Z]\w*|\bp_(most|least)\b/g,
    use: 'max…, min…',
    in: names,
  },
  leave: {
    is: new RegExp(
      [
        String.raw`\bleaves?(Former|Nothing|Names|All|OutBroken)\w*|\bleaveFor\b`,
        String.raw`\bis_?[lL]eaving\b|\bwhatIs(Lost|Left)\b`,
      ].join('|'),
      'g',
    ),
    use: 'keep, release, delete',
    in: names,
  },
  'way back': {
    is: new RegExp(
      [
        String.raw`\b(way|take|taken)-back\b|\b(way|take|taken)Back\w*`,
        String.raw`\bfirst-?look\b|\blost-?page\b|\bone-at-a-time\b|\boneAtATime\b`,
      ].join('|'),
      'gi',
    ),
    use: 'rollback, preflight, not-found page, install lock',
  },
  upkeep: { is: /(?<!curl_)upkeep/gi, use: 'repeated work, maintenance' },
  oneOr: { is: /\boneOr\b/g, use: 'oneOrThrow' },
  doomed: { is: /\bdoomed\b|\bspoiling\b|\bvehicles?\b/gi, use: 'what it is: failing, broken' },
  books: {
    is: /\b(Books|Bond|Reach|Absence|Ending)\b/g,
    use: 'AccountOwners, AccountLink, PanelConnection, MissingAccount, Termination',
    in: php,
  },
  'headless comment': {
    is: new RegExp(
      String.raw`^[ \t]*(\/\/|\/\*\*|\*|--|#) (${headless.join('|')})\b(?![^\n]*\?$)`,
      'gm',
    ),
    use: 'a verb first: «Returns …», «Holds …»',
    in: code,
  },
  'headless title': {
    is: /\.test\(\s*['`](wh(at|atever|o|ose|om)|of|one that|it|so (is|are)|nor)\b/gi,
    use: 'a sentence with a subject',
    in: /^test\/.*\.ts$/,
  },
}

/** Returns the files that are searched, relative to the root. */
export function searchedFiles(): string[] {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  }).split('\n')
  const folders = /^(src|tasks|sql|bin|release|systemd|test|billing|docs)\//
  // These name the retired words.
  const without = /^test\/(retired-words|tidy-words\.test)\.ts$/
  const kinds = /\.(ts|js|cjs|pl|lua|sql|php|eta|css|md|sh|service|socket|target|conf)$/
  return listed.filter(
    file =>
      (folders.test(file) || /^[^/]+\.md$/.test(file) || /^bin\//.test(file)) &&
      (kinds.test(file) || /^bin\//.test(file)) &&
      !without.test(file) &&
      existsSync(join(root, file)),
  )
}

/** Returns how often a word occurs in a text of this file, without the uses that are kept. */
export function countWord({ is, in: applies, kept = [] }: RetiredWord, file: string, text: string) {
  if (applies && !applies.test(file)) return 0
  let rest = text
  for (const { in: files, text: use } of kept) {
    if (files && !files.test(file)) continue
    rest = use ? rest.replace(use, '') : ''
  }
  return [...rest.matchAll(is)].length
}

/** Returns, for each word, the files that still use it and how often; names of files count too. */
export function countWords(): Record<string, Record<string, number>> {
  const texts = searchedFiles().map(
    file => [file, `${file}\n${readFileSync(join(root, file), 'utf8')}`] as const,
  )
  const counts: Record<string, Record<string, number>> = {}
  for (const [word, retired] of Object.entries(retiredWords)) {
    for (const [file, text] of texts) {
      const count = countWord(retired, file, text)
      if (count > 0) (counts[word] ??= {})[file] = count
    }
  }
  return counts
}
