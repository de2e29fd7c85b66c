import { PanelError } from '../errors.ts'
import type { Reply } from '../http/reply.ts'
import { t } from './texts/texts.ts'
import { goToSaying, type Wiring } from './page.ts'

/**
 * Acts on each of several in a form's transaction, each in a part of its own, so that a refusal
 * undoes nothing else; the page at `then` reports those that were refused.
 *
 * @param report returns how many were done, in words
 * @throws {PanelError} `invalid`, where all were refused
 */
export async function actOnEach<One>(
  wiring: Wiring,
  {
    all,
    act,
    then,
    report,
  }: {
    all: Iterable<One>
    act: (one: One) => Promise<unknown>
    then: string
    report: (done: number) => string
  },
): Promise<string | Reply> {
  const refused: string[] = []
  let done = 0
  for (const one of all) {
    try {
      await act(one)
      done += 1
    } catch (error) {
      if (!(error instanceof PanelError)) throw error
      refused.push(error.message)
    }
  }
  if (refused.length === 0) return then
  // An exception rolls the whole transaction back.
  if (done === 0)
    throw new PanelError(
      'invalid',
      t('forms.nothingWasChangedRefused', { refused: refused[0] ?? '' }),
    )
  const sentence = t('forms.someRefused', {
    report: report(done),
    count: refused.length,
    reason: refused[0] ?? '',
  })
  return goToSaying(then, { tone: 'warn', sentence }, wiring)
}
