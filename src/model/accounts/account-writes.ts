import { z } from 'zod'
import { type Db, one, run } from '../../db.ts'
import { allOf, PanelError } from '../../errors.ts'
import { get, onAccount, toAccount, type Named } from './accounts.ts'
import { type Caller, isRoot } from '../signing-in/callers.ts'
import * as grammar from '../grammar/grammar.ts'
import { hashForLinux } from '../signing-in/linux-password.ts'
import { type CountedTable, countLimits } from '../sellers/package-limits.ts'
import { hashPassword } from '../signing-in/password-hash.ts'
import * as packages from '../sellers/packages.ts'
import { type Excess, planExceeded } from '../sellers/plan-excess.ts'
import * as signOns from '../signing-in/sign-ons.ts'
import {
  type DomainConflict,
  refusalIn,
  refusalOf,
  refuseOwn,
  refuseWithout,
} from '../sites/refused-names.ts'
import { answer, write } from '../operations/writes.ts'

// The writes that change accounts, and how each decides.

/** The body of a create. A leading `www.` is removed, because `www.` is always served too. */
export const NewAccount = z.strictObject({
  username: grammar.username.describe('Unique on the server; some names are reserved'),
  password: grammar.password.describe('Any characters but control characters'),
  email: grammar.email,
  package: grammar.packageName.describe("The name of a package in the token's catalogue"),
  domain: grammar
    .leftOut(grammar.siteDomain)
    .describe('The first website: a host name, kept in ASCII; its `www.` name is served as well'),
  reference: grammar
    .leftOut(grammar.reference)
    .describe(
      "The caller's own name for it, such as an order number: unique per seller while the " +
        'account exists. An empty string is the same as none',
    ),
})

type NewAccount = z.infer<typeof NewAccount>

export const Suspension = z.strictObject({
  reason: grammar.sentence.describe(
    'Shown with the account and in the event; line breaks become spaces',
  ),
})

export const PackageChange = z.strictObject({
  package: grammar.packageName.describe("A package of the account's seller"),
})

type PackageChange = z.infer<typeof PackageChange>

export const PasswordChange = z.strictObject({ password: grammar.password })

export const EmailChange = z.strictObject({ email: grammar.email })

/** Creates an account. The clear password goes no further than its hash, made before the claim. */
export const create = write({
  name: 'account/create',
  subject: ({ package: offered, domain }) => (domain ? `${offered}, ${domain}` : offered),
  prepare: ({ password }: NewAccount) => hashTwice(password),
  find: (db, { caller, desired }) => packages.getForSale(db, caller.sellerId, desired.package),
  async decide(db, { caller, desired, found: offered, prepared, rules }) {
    const { domain } = desired
    const refused = refusalIn(() => {
      if (domain) refuseOwn(caller, domain, rules.ownNames)
      if (domain) refuseWithout(offered, desired.package)
    })
    if (refused) throw allOf([refused, ...(await findConflicts(db, caller, desired))])
    const account = { ...desired, ...prepared }
    const accountId = await add(db, caller, offered.id, account, rules.maxAccounts())
    return { accountId, params: {} }
  },
})

export const suspend = onAccount<z.infer<typeof Suspension>>({
  name: 'account/suspend',
  subject: ({ reason }) => reason,
  async decide(_db, { caller, desired, found }) {
    const params = { suspend_reason: desired.reason ?? null, suspended_by: caller.role }
    return { accountId: found.id, params: { desired: 'suspended', ...params } }
  },
})

export const unsuspend = onAccount({
  name: 'account/unsuspend',
  async decide(_db, { found }) {
    const params = { desired: 'active', suspend_reason: null, suspended_by: null }
    return { accountId: found.id, params }
  },
})

/** Changes the package, within the catalogue of the account's seller. */
export const changePackage = write({
  name: 'account/change-package',
  subject: (desired: Named & PackageChange) => desired.package,
  async find(db, { caller, desired }: { caller: Caller; desired: Named & PackageChange }) {
    const account = await get(db, caller, desired.username)
    const offered = await packages.getForSale(db, account.sellerId, desired.package)
    return { account, offered }
  },
  async decide(db, { caller, desired, found: { account, offered } }) {
    await decidePackage(db, caller, account.id, desired.package, offered.id)
    return { accountId: account.id, params: { package_id: offered.id } }
  },
})

export const setPassword = onAccount<z.infer<typeof PasswordChange>, Hashes>({
  name: 'account/set-password',
  prepare: ({ password }) => hashTwice(password),
  async decide(_db, { found, prepared: { passwordHash, signInHash } }) {
    const params = { password_hash: passwordHash, sign_in_hash: signInHash }
    return { accountId: found.id, params }
  },
})

/** Changes the e-mail address. The machine does not have it: only the row changes. */
export const setEmail = onAccount<z.infer<typeof EmailChange>>({
  name: 'account/set-email',
  subject: ({ email }) => email,
  async decide(db, { caller, desired: { username, email }, found }) {
    await run(db)`select panel.set_email(${found.id}, ${email})`
    const changed = await get(db, caller, username)
    return { accountId: found.id, answer: answer(200, toAccount(changed)) }
  },
})

export const terminate = onAccount({
  name: 'account/terminate',
  async decide(_db, { found }) {
    return { accountId: found.id, params: { desired: 'terminated' } }
  },
})

/** Returns a sign-on link. Its secret is generated here and stored only as a hash. */
export const login = onAccount({
  name: 'account/login',
  async decide(db, { found: { id: accountId, state }, id, rules }) {
    if (state !== 'active') {
      throw new PanelError(
        'account_not_active',
        `The account is ${state}; only an active account can sign on`,
      )
    }
    const { token, expiresAt } = await signOns.mint(db, id, accountId)
    const link = { url: `${rules.baseUrl}/sso/${token}`, expires_at: expiresAt.toISOString() }
    return { accountId, answer: answer(200, link, { isSealed: true }) }
  },
})

type Hashes = { passwordHash: string; signInHash: string }

// Returns the hash that Linux stores and the one that the panel compares at sign-in.
async function hashTwice(password: string): Promise<Hashes> {
  const [passwordHash, signInHash] = await Promise.all([
    hashForLinux(password),
    hashPassword(password),
  ])
  return { passwordHash, signInHash }
}

// Adds the rows of an account that is about to be created on the machine; returns its id.
async function add(
  db: Db,
  caller: Caller,
  packageId: string,
  account: Omit<NewAccount, 'password' | 'package'> & Hashes,
  /** The number of accounts that the license permits on this server. */
  maxAccounts: number,
): Promise<string> {
  const { username, email, passwordHash, signInHash, domain, reference } = account
  const { id, refusal, detail, excess, conflicts } = await one<Added>(db)`
    select id, refusal, conflicts, detail, excess
    from panel.create_account(
      ${caller.sellerId}, ${packageId}, ${username}, ${email}, ${passwordHash}, ${signInHash},
      ${domain}, ${maxAccounts}, ${reference}, ${isRoot(caller)})`
  switch (refusal) {
    case 'conflicts': {
      const [first, ...others] = conflicts
      const errorOf = (conflict: Conflict) => toError(conflict, account, detail)
      throw allOf([errorOf(first), ...others.map(errorOf)])
    }
    case 'package':
      throw notSold()
    case 'plan':
      throw planExceeded(excess, caller, 'package')
    case 'license':
      throw new PanelError('license_limit', detail)
    case null:
      return id
  }
}

type Conflict = 'username' | 'reference' | DomainConflict
type None = { id: null; conflicts: null; detail: null; excess: null }

type Added =
  | { id: string; refusal: null; conflicts: null; detail: null; excess: null }
  | (Omit<None, 'conflicts' | 'detail'> & {
      refusal: 'conflicts'
      conflicts: [Conflict, ...Conflict[]]
      /** The account that has the reference. */
      detail: string | null
    })
  | (None & { refusal: 'package' })
  | (Omit<None, 'detail'> & { refusal: 'license'; detail: string })
  | (Omit<None, 'excess'> & { refusal: 'plan'; excess: Excess })

type Unique = Pick<NewAccount, 'username' | 'domain' | 'reference'>

function toError(
  conflict: Conflict,
  { username, domain, reference }: Unique,
  referenceOf: string | null,
): PanelError {
  switch (conflict) {
    case 'username':
      return new PanelError('username_taken', `username ${username} is taken`, {
        field: 'username',
      })
    case 'reference':
      return new PanelError(
        'reference_taken',
        `reference ${reference} belongs to the account ${referenceOf} already`,
        { field: 'reference' },
      )
    default:
      return refusalOf(domain ?? '', conflict)
  }
}

/** Returns the refusals of an account whose values others have, to be reported with another one. */
async function findConflicts(db: Db, caller: Caller, account: Unique): Promise<PanelError[]> {
  const { username, domain, reference } = account
  const { conflicts, referenceOf } = await one<{
    conflicts: Conflict[]
    referenceOf: string | null
  }>(db)`
    select conflicts, reference_of as "referenceOf"
    from panel.account_conflicts(
      ${caller.sellerId}, ${username}, ${domain}, ${reference}, ${isRoot(caller)})`
  return conflicts.map(conflict => toError(conflict, account, referenceOf))
}

// Checks a package change against the account's resources and its seller's plan, and locks both.
async function decidePackage(
  db: Db,
  caller: Caller,
  id: string,
  name: string,
  packageId: string,
): Promise<void> {
  const { refusal, detail, excess } = await one<PackageDecided>(db)`
    select refusal, detail, excess from panel.decide_package_change(${id}, ${packageId})`
  if (refusal === 'package') throw notSold()
  if (refusal === 'plan') throw planExceeded(excess, caller, 'package')
  const limit = countLimits.find(({ counts: { table } }) => table === refusal)
  if (limit === undefined) return
  const { table, singular, plural = `${singular}s` } = limit.counts
  const allowed = detail === '1' ? `1 ${singular}` : `${detail} ${plural}`
  const words = `package ${name} allows ${allowed}; the account has more`
  throw new PanelError(`too_many_${table}`, words, { field: 'package' })
}

type PackageDecided =
  | { refusal: null | 'package'; detail: null; excess: null }
  | { refusal: CountedTable; detail: string; excess: null }
  | { refusal: 'plan'; detail: null; excess: Excess }

// The package was offered when the request was looked up.
const notSold = (): PanelError =>
  new PanelError('package_not_sold', 'package is no longer offered', { field: 'package' })

/** Makes the account on the machine agree with its rows again. */
export const reapply = onAccount<Named>({
  name: 'account/apply',
  decide: async (_, { found }) => ({ accountId: found.id, params: {} }),
})
