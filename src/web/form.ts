import { randomUUID } from 'node:crypto'
import type { z } from 'zod'
import { PanelError } from '../errors.ts'
import type { Reply } from '../http/reply.ts'
import type { ErrorAnswer } from '../model/jobs/request-jobs.ts'
import { operationNames } from '../model/operations/operation-names.ts'
import type { Write } from '../model/operations/writes.ts'
import type { Ask, Outcome } from '../requests/execute.ts'
import { t } from './texts/texts.ts'
import { actOnce } from './act-once.ts'
import { fill, withQuery, type Params } from './addresses.ts'
import { callIdOf, callOf, type ToCall } from './api-call.ts'
import { meantIn, parseFields, type Errors, type Fields, type Values } from './fields.ts'
import { isRefusalOfForm, atField, stateOfEarlier, toState, type State } from './form-state.ts'
import {
  draw,
  goTo,
  goToSaying,
  operationPath,
  requireSelf,
  type Page,
  type PageRequest,
  type Role,
} from './page.ts'
import type { Flash } from './flash.ts'
import { shown, type Text } from './texts/texts.ts'
import { shownFields, type Loaded } from './shown-fields.ts'

// A form is a page of its own, which other pages may show a copy of: a GET draws it, and a POST has
// its write executed. It is refused as the same page, with what was typed.

/** The time a form waits for the work; then the browser goes to the operation's own page. */
const waitMs = 2_000

export type FormAsked<Path extends string = string> = Omit<PageRequest, 'params'> & {
  params: Params<Path>
}

/** The answer of a write. */
type Answer = Record<string, unknown>

type Given<Path extends string, Of extends Fields> = FormAsked<Path> & {
  values: Values<Of>
  /** Minted when the form was drawn: who sends it twice has the same. */
  key: string
}

/**
 * Defines a form. It makes either a write of the model, with the values of path and fields as
 * params, or any other change, which returns where to go next.
 */
type Definition<Path extends string, Of extends Fields, Desired> = {
  path: Path
  roles: readonly Role[]
  title: (params: Params<Path>) => string
  /** The page it belongs to: its link back, and the next page after its write without `then`. */
  parent: (params: Params<Path>) => string
  fields: Of
  load?: (asked: FormAsked<Path>) => Promise<Loaded<NoInfer<Of>>>
  /** Whether only the person can do it who is signed in; a write says so of itself. */
  isPersonal?: true
  /** The word on its button. */
  submit: Text
  isDanger?: boolean
  /** Whether it cancels something itself: a «Cancel» next to its button could be either. */
  cancels?: boolean
  /** Returns the name to be typed again before something is destroyed. */
  confirm?: (params: Params<Path>) => string
  /** The same as a call of the API, and as a command. */
  call?: ToCall<Params<Path>>
  /** Below src/web; the form alone, where there is none. */
  template?: string
  /** Checks what the write itself doesn't know, such as the person's own password; may `refuse`. */
  check?: (given: Given<Path, NoInfer<Of>>) => Promise<void>
  write?: Write<Desired>
  toDesired?: (given: Given<Path, NoInfer<Of>>) => NoInfer<Desired>
  /** Returns the message of the next page. */
  flash?: (params: Params<Path>, answer: Answer, values: Values<NoInfer<Of>>) => string | Flash
  act?: (given: Given<Path, NoInfer<Of>>) => Promise<string | Reply>
  then?: (given: Given<Path, NoInfer<Of>> & { answer: Answer }) => string
  /** Whether the page that it leads to shows its write in progress, and how it ended. */
  isFollowedThere?: true
  /**
   * Returns the page to show instead of going there, if the write has a secret that no row keeps;
   * `job` is where to follow a write that is not done yet.
   */
  shows?: (given: Given<Path, NoInfer<Of>> & { job: string | undefined }) => Reply
}

export type Form<Path extends string = string> = Page & {
  /** Its fields. */
  fields: Fields
  /** The form for another page to show: `ui.form(it.…)`. */
  shown: (request: PageRequest, params: Params<Path>) => Promise<object>
}

export function form<Path extends string, const Of extends Fields, Desired = never>(
  definition: Definition<Path, Of, Desired>,
): Form<Path> {
  const { path, roles, fields, template = 'pages/form' } = definition
  const { write } = definition
  const isPersonal =
    definition.isPersonal ?? (write !== undefined && 'isPersonal' in operationNames[write.name])
  const toParams = (request: PageRequest) => request.params as Params<Path>
  const asked = (request: PageRequest) => ({ ...request, params: toParams(request) })

  async function drawn(request: FormAsked<Path>, state: State) {
    const loaded = (await definition.load?.(request)) ?? {}
    const { params } = request
    const action = fill(path, params)
    return {
      ...loaded,
      // A form that offers nothing shows no fields that a sentence could be next to.
      ...('isIdle' in loaded ? atField(state, {}) : state),
      action,
      callId: callIdOf(action),
      title: definition.title(params),
      parent: definition.parent(params),
      submit: shown(definition.submit),
      isDanger: definition.isDanger ?? false,
      cancels: definition.cancels ?? false,
      // The user for password managers.
      username: whose(params) ?? request.session.name,
      confirm: definition.confirm?.(params),
      fields: shownFields(fields, loaded as Loaded<Of>, state, request.body),
      call:
        definition.call &&
        callOf(request, definition.call, fields, params, {
          ...loaded,
          typed: typedIn(request, state),
        }),
    }
  }

  // Returns the typed values: sent and refused, or requested for the API call during typing.
  const typedIn = ({ body, query, isLive }: PageRequest, { typed }: State) =>
    typed !== undefined ? meantIn(fields, body) : isLive ? meantIn(fields, query) : undefined

  const redraw = async (request: PageRequest, status: number, state: State) =>
    draw(request, status, template, { form: await drawn(asked(request), state) })

  async function post(request: PageRequest): Promise<Reply> {
    if (isPersonal) requireSelf(request.session)
    const { params } = asked(request)
    const { typed, values, errors } = parseFields(fields, request.body)
    const confirm = definition.confirm?.(params)
    if (confirm !== undefined && request.body.get('confirm')?.trim() !== confirm) {
      errors['confirm'] = t('forms.typeExactlyConfirm', { confirm })
    }
    if (Object.keys(errors).length > 0) {
      return redraw(request, 422, { typed, errors, isMistyped: true })
    }
    const given = { ...asked(request), values, key: keyOf(request.body) }
    try {
      const { check, toDesired, act, shows } = definition
      if (write === undefined || toDesired === undefined) {
        const done = await actOnce(request, {
          key: given.key,
          fingerprint: fingerprintOf(request),
          check: check && (() => check(given)),
          async act(pool) {
            const reply = await act!({ ...given, pool })
            return typeof reply === 'string' ? goTo(reply) : reply
          },
        })
        if (done !== undefined) return done
        throw new Refused({ notice: { sentence: t('forms.formWasAlreadySent') } })
      }
      const outcome = await ask(given, write, {
        parse: () => toDesired(given),
        check: check && (() => check(given)),
      })
      const then = (answer: Answer) =>
        definition.then?.({ ...given, answer }) ?? definition.parent(params)
      const done = (answer: Answer) =>
        definition.flash === undefined
          ? goTo(then(answer))
          : goToSaying(then(answer), definition.flash(params, answer, values), request.wiring)
      const { isFollowedThere } = definition
      const wait = (job: string) =>
        goTo(isFollowedThere ? then({}) : withQuery(job, { then: then({}) }))
      const failed = (job: string) => goTo(isFollowedThere ? then({}) : job)
      if (shows === undefined) return await follow(request, outcome, { done, wait, failed })
      return await follow(request, outcome, {
        failed,
        done: () => shows({ ...given, job: undefined }),
        wait: job => shows({ ...given, job }),
      })
    } catch (error) {
      if (!(error instanceof Refused) && !isRefusalOfForm(error)) throw error
      const state = error instanceof Refused ? error.state : toState(error, fields)
      return redraw(request, 422, { typed, ...atField(state, fields) })
    }
  }

  return {
    path,
    roles,
    fields,
    get: async request => {
      if (isPersonal) requireSelf(request.session)
      return redraw(request, 200, {})
    },
    post,
    again: async request => {
      if (isPersonal) requireSelf(request.session)
      return redraw(request, 403, stateOfEarlier(fields, request.body))
    },
    shown: (request, params) => drawn({ ...request, params }, {}),
  }
}

const whose = ({ username, name }: { username?: string; name?: string }): string | undefined =>
  username ?? name

function ask<Desired>(
  request: PageRequest & { key: string },
  write: Write<Desired>,
  decidable: Pick<Ask<Desired>, 'parse' | 'check'>,
): Promise<Outcome> {
  const { caller, keys, key, wiring } = request
  return wiring.execute(write, {
    caller,
    keys,
    key,
    fingerprint: fingerprintOf(request),
    words: wordsOf(request),
    ...decidable,
    waitMs,
  })
}

const wordsOf = ({ target }: PageRequest): string => `POST ${target.slice(0, 500)}`

function fingerprintOf(request: PageRequest): Buffer {
  const fields = [...request.body].filter(([name]) => name !== 'token' && name !== 'key')
  return request.keys.fingerprint(`${wordsOf(request)}\n`, new URLSearchParams(fields).toString())
}

/** Returns the key of a drawn form; a hand-made request without one gets a new key. */
export const keyOf = (body: URLSearchParams): string => {
  const key = body.get('key') ?? ''
  return /^[0-9a-f-]{36}$/.test(key) ? key : randomUUID()
}

/** A refusal that is shown on the form. */
class Refused extends Error {
  readonly state: State

  constructor(state: State) {
    super('refused')
    this.state = state
  }
}

/** Shows the form again, with sentences next to its fields. */
export function refuse(errors: Errors): never {
  throw new Refused({ errors })
}

async function follow(
  { caller }: PageRequest,
  outcome: Outcome,
  {
    done,
    wait,
    failed,
  }: { done: (answer: Answer) => Reply } & Record<'wait' | 'failed', (job: string) => Reply>,
): Promise<Reply> {
  const job = 'id' in outcome ? operationPath(caller, outcome.id) : ''
  switch (outcome.is) {
    case 'answered': {
      const { status, body, reason, field } = outcome.answer
      const answer = JSON.parse(body.toString()) as Answer
      if (status < 400) return done(answer)
      const { error, errors } = answer as z.infer<typeof ErrorAnswer>
      throw new PanelError(reason ?? 'invalid', error, { field: field ?? undefined, errors })
    }
    case 'failed':
      return failed(job)
    case 'in progress':
    case 'busy':
      return wait(job)
    case 'mismatch':
      throw new Refused({
        notice: {
          sentence: t('forms.formWasAlreadySentCheck'),
          link: { address: job, label: t('forms.viewResult') },
        },
      })
  }
}
