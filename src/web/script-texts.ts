import { language, locale, type Language } from './texts/locale.ts'
import { t } from './texts/texts.ts'

// The texts that scripts show, as an attribute of the page: a script is the same in every language.

const made = new Map<Language, string>()

/** Returns them as JSON, with `{n}` and the like where a script puts a value. */
export function scriptTexts(): string {
  const current = language()
  const known = made.get(current) ?? JSON.stringify(texts())
  made.set(current, known)
  return known
}

function texts() {
  const [n, time] = ['{n}', '{time}']
  const forms = new Intl.PluralRules(locale()).resolvedOptions().pluralCategories
  return {
    locale: locale(),
    now: t('scripts.now'),
    ago: t('scripts.ago', { time }),
    in: t('scripts.in', { time }),
    seconds: t('scripts.seconds', { n }),
    minutes: t('scripts.minutes', { n }),
    hours: t('scripts.hours', { n }),
    days: t('scripts.days', { n }),
    show: t('scripts.show'),
    hide: t('scripts.hide'),
    showTimesUtc: t('scripts.showTimesUtc'),
    showTimesAsUsual: t('scripts.showTimesAsUsual'),
    copy: t('scripts.copy'),
    copied: t('scripts.copied'),
    entriesRestored: t('scripts.entriesRestored'),
    percentSent: t('scripts.percentSent', { n }),
    allSent: t('scripts.allSent'),
    notSent: t('scripts.notSent'),
    noSuggestions: t('scripts.noSuggestions'),
    suggestions: Object.fromEntries(
      forms.map(form => [form, t('scripts.suggestions', { form, n })]),
    ),
    kindOf: t('scripts.kindOf', { kind: '{kind}', of: '{of}' }),
  }
}
