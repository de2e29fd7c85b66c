import { z } from 'zod'
import { type Db, one, run } from '../db.ts'
import { PanelError } from '../errors.ts'
import { get, onAccount, toAccount, type Named } from './accounts.ts'
import { type Caller, isRoot } from './callers.ts'
import * as grammar from './grammar.ts'
import { hashForLinux } from './linux-password.ts'
import { type CountedTable, countLimits } from './package-limits.ts'
import { hashPassword } from './password-hash.ts'
import * as packages from './packages.ts'
import { type Excess, planExceeded } from './plan-excess.ts'
import * as signOns from './sign-ons.ts'
import * as sites from './sites.ts'
import { answer, write } from './writes.ts'

// What callers may have done to accounts, and how it is judged.

/** What a caller sends to create one. A leading `www.` is taken off, because it is served along. */
export const NewAccount = z.strictObject({
  username: grammar.username.describe('Unique on the server; some names are reserved'),
  password: grammar.password.describe('Any characters but control characters'),
  email: grammar.email,
  package: grammar.packageName.describe('The name of a package that the token sells'),
  domain: grammar
    .leftOut(grammar.siteDomain)
    .describe('The first website: a host name, kept in ASCII; `www.` in front is served along'),
  reference: grammar
    .leftOut(grammar.reference)
    .describe(
      "The caller's own name of it, as the number of an order: unique for each seller while the " +
        'account lives. An empty text is the same as none',
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

/** The clear password goes no further than its hash, made before the claim. */
export const create = write({
  name: 'account/create',
  subject: ({ package: sold, domain }) => (domain ? `${sold}, ${domain}` : sold),
  prepare: ({ password }: NewAccount) => hashTwice(password),
  find: (db, { caller, wanted }) => packages.getForSale(db, caller.sellerId, wanted.package),
  async judge(db, { caller, wanted, found: sold, prepared, rules }) {
    if (wanted.domain) sites.refuseOwn(caller, wanted.domain, rules.ownNames)
    if (wanted.domain) sites.refuseWithout(sold, wanted.package)
    const account = { ...wanted, ...prepared }
    const accountId = await add(db, caller, sold.id, account, rules.maxAccounts())
    return { accountId, wants: {} }
  },
})

export const suspend = onAccount<z.infer<typeof Suspension>>({
  name: 'account/suspend',
  subject: ({ reason }) => reason,
  async judge(_db, { caller, wanted, found }) {
    const wants = { suspend_reason: wanted.reason ?? null, suspended_by: caller.role }
    return { accountId: found.id, wants: { wanted: 'suspended', ...wants } }
  },
})

export const unsuspend = onAccount({
  name: 'account/unsuspend',
  async judge(_db, { found }) {
    const wants = { wanted: 'active', suspend_reason: null, suspended_by: null }
    return { accountId: found.id, wants }
  },
})

/** From the catalogue of the account's seller, whoever asks. */
export const changePackage = write({
  name: 'account/change-package',
  subject: (wanted: Named & PackageChange) => wanted.package,
  async find(db, { caller, wanted }: { caller: Caller; wanted: Named & PackageChange }) {
    const account = await get(db, caller, wanted.username)
    const sold = await packages.getForSale(db, account.sellerId, wanted.package)
    return { account, sold }
  },
  async judge(db, { caller, wanted, found: { account, sold } }) {
    await judgePackage(db, caller, account.id, wanted.package, sold.id)
    return { accountId: account.id, wants: { package_id: sold.id } }
  },
})

export const setPassword = onAccount<z.infer<typeof PasswordChange>, Hashes>({
  name: 'account/set-password',
  prepare: ({ password }) => hashTwice(password),
  async judge(_db, { found, prepared: { passwordHash, signInHash } }) {
    const wants = { password_hash: passwordHash, sign_in_hash: signInHash }
    return { accountId: found.id, wants }
  },
})

/** Nothing on the machine has it: only the row changes. */
export const setEmail = onAccount<z.infer<typeof EmailChange>>({
  name: 'account/set-email',
  subject: ({ email }) => email,
  async judge(db, { caller, wanted: { username, email }, found }) {
    await run(db)`select panel.set_email(${found.id}, ${email})`
    const changed = await get(db, caller, username)
    return { accountId: found.id, answer: answer(200, toAccount(changed)) }
  },
})

export const terminate = onAccount({
  name: 'account/terminate',
  async judge(_db, { found }) {
    return { accountId: found.id, wants: { wanted: 'terminated' } }
  },
})

/** The link's secret is minted here, and stored only hashed. */
export const login = onAccount({
  name: 'account/login',
  async judge(db, { found: { id: accountId, state }, id, rules }) {
    if (state !== 'active') {
      throw new PanelError(
        'account_not_active',
        `The account is ${state}; only an active one can sign on`,
      )
    }
    const { token, expiresAt } = await signOns.mint(db, id, accountId)
    const link = { url: `${rules.baseUrl}/sso/${token}`, expires_at: expiresAt.toISOString() }
    return { accountId, answer: answer(200, link, { isSealed: true }) }
  },
})

type Hashes = { passwordHash: string; signInHash: string }

// What the machine knows of a password, and what the panel compares with who signs in.
async function hashTwice(password: string): Promise<Hashes> {
  const [passwordHash, signInHash] = await Promise.all([
    hashForLinux(password),
    hashPassword(password),
  ])
  return { passwordHash, signInHash }
}

// Adds the rows of an account that is about to be made on the machine; tells its id.
async function add(
  db: Db,
  caller: Caller,
  packageId: string,
  account: Omit<NewAccount, 'password' | 'package'> & Hashes,
  /** What the license permits on this server. */
  maxAccounts: number,
): Promise<string> {
  const { username, email, passwordHash, signInHash, domain, reference } = account
  const { id, refusal, detail, excess } = await one<Added>(db)`
    select id, refusal, detail, excess
    from panel.create_account(
      ${caller.sellerId}, ${packageId}, ${username}, ${email}, ${passwordHash}, ${signInHash},
      ${domain}, ${maxAccounts}, ${reference}, ${isRoot(caller)})`
  switch (refusal) {
    case 'username':
      throw new PanelError('username_taken', `username ${username} is taken`, {
        field: 'username',
      })
    case 'reference':
      throw new PanelError(
        'reference_taken',
        `reference ${reference} belongs to the account ${detail} already`,
        { field: 'reference' },
      )
    case 'domain':
    case 'neighbour':
    case 'shared-parent':
      throw sites.refusalOf(domain ?? '', refusal)
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

type Added =
  | { id: string; refusal: null; detail: null; excess: null }
  | {
      id: null
      refusal: 'username' | 'package' | sites.DomainConflict
      detail: null
      excess: null
    }
  | { id: null; refusal: 'license' | 'reference'; detail: string; excess: null }
  | { id: null; refusal: 'plan'; detail: null; excess: Excess }

// Judges a package change by what the account has and its seller's plan, and locks both for it.
async function judgePackage(
  db: Db,
  caller: Caller,
  id: string,
  name: string,
  packageId: string,
): Promise<void> {
  const { refusal, detail, excess } = await one<PackageJudged>(db)`
    select refusal, detail, excess from panel.judge_package_change(${id}, ${packageId})`
  if (refusal === 'package') throw notSold()
  if (refusal === 'plan') throw planExceeded(excess, caller, 'package')
  const limit = countLimits.find(({ counts: { table } }) => table === refusal)
  if (limit === undefined) return
  const { table, noun } = limit.counts
  const allowed = detail === '1' ? `1 ${noun}` : `${detail} ${noun}s`
  const words = `package ${name} allows ${allowed}; the account has more`
  throw new PanelError(`too_many_${table}`, words, { field: 'package' })
}

type PackageJudged =
  | { refusal: null | 'package'; detail: null; excess: null }
  | { refusal: CountedTable; detail: string; excess: null }
  | { refusal: 'plan'; detail: null; excess: Excess }

// It was, when the request was looked at.
const notSold = (): PanelError =>
  new PanelError('package_not_sold', 'package is not sold any more', { field: 'package' })
