import * as v from 'valibot'
import { EngineError } from '../errors.ts'
import type { Kit } from '../kit.ts'
import type { Links } from '../mail/links/links.ts'
import type { Store } from '../ports/store/store.ts'
import type { User } from '../ports/store/users.ts'
import { isId } from '../values/id.ts'
import type { InputOf, UntrustedInput } from '../values/input.ts'
import { type NumberedPage, numberedPage, PageQuery } from '../values/page.ts'
import { parse } from '../values/parse.ts'
import { shownId } from '../values/shown-id.ts'
import type { AccountMails } from './account-mails.ts'
import { changeUser, withoutSecondFactor } from './change-user.ts'
import type { Entrance } from './entrance.ts'
import { GivenPassword } from './user.ts'

/** The query of the list of people. */
export const ListPeople = v.object({
  ...PageQuery.entries,
  /** A part of the address or the name. */
  search: v.optional(v.pipe(v.string(), v.maxLength(255))),
})
/** The proof of who lets a person in again. */
export const LetIn = v.object({
  /** Your own password; needed when your account has one. */
  password: v.optional(GivenPassword),
})

/** Narrows and pages the list of people. */
export interface ListPeopleInput extends InputOf<typeof ListPeople> {}
/** The password of who lets a person in again. */
export interface LetInInput extends InputOf<typeof LetIn> {}

/** A link that sets a new password, once. */
export interface PasswordLink {
  /** Its address, which the person gets by a way that others do not read. */
  readonly url: string
  /** Until when it works. */
  readonly expiresAt: Date
}

/** All accounts, for those who run the server: they let in again who has lost a device or a password. */
export class People {
  constructor(
    private readonly store: Store,
    private readonly entrance: Entrance,
    private readonly mails: AccountMails,
    private readonly links: Links,
    private readonly kit: Kit,
  ) {}

  /** One page of all accounts, newest first. Throws EngineError `VALIDATION_ERROR`, `BAD_REQUEST` for a damaged cursor. */
  async list(query: ListPeopleInput | UntrustedInput = {}): Promise<NumberedPage<User>> {
    const { search, ...asked } = parse(ListPeople, query)
    const { users } = this.store
    return numberedPage(
      { projectId: '', name: 'people' },
      asked,
      (page) => users.page(page, search || undefined),
      () => users.count(search || undefined),
    )
  }

  /**
   * Turns off the second factor of another person, who has lost the app and the recovery codes, and ends all sessions
   * of that person. Throws EngineError `RESOURCE_NOT_FOUND`, `CONFLICT` when it is off or one's own, `VALIDATION_ERROR`
   * (a wrong password), `RATE_LIMIT_EXCEEDED`.
   */
  async removeSecondFactor(operator: User, id: string, input: LetInInput | UntrustedInput): Promise<User> {
    await this.#other(operator, id, input)
    return changeUser(this.store, this.kit, id, async (now, tx) => {
      if (now.totpSince === undefined) throw new EngineError('CONFLICT', `${now.email} has no second factor.`)
      return withoutSecondFactor(tx, now)
    })
  }

  /**
   * Makes a link by which another person sets a new password, for servers that cannot mail one. It works once, for an
   * hour, and confirms the address, for which the operator vouches; a second factor stays. Throws EngineError `RESOURCE_NOT_FOUND`, `CONFLICT` for oneself and without a public
   * address, `VALIDATION_ERROR` (a wrong password), `RATE_LIMIT_EXCEEDED`.
   */
  async passwordLink(operator: User, id: string, input: LetInInput | UntrustedInput): Promise<PasswordLink> {
    const { email } = await this.#other(operator, id, input)
    return this.store.transaction(async (tx) => {
      const token = await this.mails.addToken(tx, 'reset', { userId: id, email })
      const url = this.links.ofAccount('reset-password', token.id)
      if (url !== undefined) return { url, expiresAt: token.expiresAt }
      throw new EngineError('CONFLICT', 'This server has no public address, so no link leads to it.', {
        suggestion: 'Set it on the page Operator of the dashboard, or as server.publicUrl in the configuration.',
      })
    })
  }

  async #other(operator: User, id: string, input: LetInInput | UntrustedInput): Promise<User> {
    const { password } = parse(LetIn, input)
    const user = isId(id) ? await this.store.users.find(id) : undefined
    if (user === undefined) throw new EngineError('RESOURCE_NOT_FOUND', `There is no user ${shownId(id)}.`)
    if (user.id === operator.id) {
      throw new EngineError('CONFLICT', 'This is your own account.', {
        suggestion: 'Change your password and your second factor in My account.',
      })
    }
    await this.entrance.requirePassword(operator, password, 'password')
    return user
  }
}
