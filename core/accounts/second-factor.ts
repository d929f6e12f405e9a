import { createHash, randomBytes } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'
import * as v from 'valibot'
import { EngineError, invalidField } from '../errors.ts'
import type { Kit } from '../kit.ts'
import type { Sealing } from '../mail/dkim/sealing.ts'
import type { Repositories, Store } from '../ports/store/store.ts'
import type { User } from '../ports/store/users.ts'
import type { InputOf, UntrustedInput } from '../values/input.ts'
import { parse } from '../values/parse.ts'
import type { AttemptLimits } from './attempt-limits.ts'
import { changeUser, withoutSecondFactor } from './change-user.ts'
import type { Entrance } from './entrance.ts'
import type { Session, Sessions } from './sessions.ts'
import { GivenPassword, type LoggedIn, TokenText, type Visitor } from './user.ts'

const Code = v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(100))
export const Enrol = v.object({
  /** The password again; needed by users who have one. */
  password: v.optional(GivenPassword),
})
export const Confirm = v.object({
  /** A code of the app. */
  code: Code,
})
export const Disable = v.object({
  /** The password again; needed by users who have one. */
  password: v.optional(GivenPassword),
  /** A code of the app, or a recovery code. */
  code: Code,
})
/**
 * A code of the app, not a recovery code: a person who has found the old ones must not make new ones with one of them.
 */
export const RenewCodes = v.object({
  /** The password again; needed by users who have one. */
  password: v.optional(GivenPassword),
  /** A code of the app. */
  code: Code,
})
export const SecondStep = v.object({
  /** The token that `login` answered. */
  token: TokenText,
  /** A code of the app, or a recovery code. */
  code: Code,
})

/** The password again. */
export interface EnrolInput extends InputOf<typeof Enrol> {}
/** A code of the new second factor. */
export interface ConfirmInput extends InputOf<typeof Confirm> {}
/** The password again, and a code or a recovery code. */
export interface DisableInput extends InputOf<typeof Disable> {}
/** The password again, and a code of the app. */
export interface RenewCodesInput extends InputOf<typeof RenewCodes> {}
/** The token that `login` answered, and a code or a recovery code. */
export interface SecondStepInput extends InputOf<typeof SecondStep> {}

const STEP_SECONDS = 30
/** How many recovery codes there are. */
const CODES = 10
/** 80 bits: too many to find one from its hash. */
const CODE_BYTES = 10
const ISSUER = 'Mailwright'

/** The second factor of logins: codes by time (TOTP, RFC 6238), and recovery codes for a lost device. */
export class SecondFactor {
  constructor(
    private readonly store: Store,
    private readonly sealing: Sealing,
    private readonly entrance: Entrance,
    private readonly sessions: Sessions,
    private readonly limits: AttemptLimits,
    private readonly kit: Kit,
  ) {}

  /**
   * Makes a secret, as text and as an `otpauth:` URL for a QR code. It counts once `confirm` was called. Throws
   * EngineError `CONFLICT` when there is a second factor already, `VALIDATION_ERROR` (a wrong password),
   * `RATE_LIMIT_EXCEEDED`.
   */
  async enrol(
    user: User,
    input: EnrolInput | UntrustedInput,
  ): Promise<{ readonly secret: string; readonly url: string }> {
    const { password } = parse(Enrol, input)
    await this.entrance.requirePassword(user, password, 'password')
    const secret = new Secret({ size: 20 })
    await changeUser(this.store, this.kit, user.id, async (now) => {
      if (now.totpSince !== undefined) throw new EngineError('CONFLICT', 'You already have a second factor.')
      return { ...now, totpSecret: this.sealing.seal(secret.base32, user.id) }
    })
    return { secret: secret.base32, url: totpOf(user, secret).toString() }
  }

  /**
   * Turns the second factor on. Ends all sessions; answers a new one, and the recovery codes, which are shown only here.
   * Throws EngineError `CONFLICT` when nothing was enrolled, `VALIDATION_ERROR` (a wrong code), `RATE_LIMIT_EXCEEDED`.
   */
  async confirm(
    user: User,
    input: ConfirmInput | UntrustedInput,
  ): Promise<{ readonly recoveryCodes: readonly string[]; readonly session: Session }> {
    const { code } = parse(Confirm, input)
    await this.limits.count('user', 'code', user.id)
    const recoveryCodes = Array.from({ length: CODES }, newCode)
    const changed = await changeUser(this.store, this.kit, user.id, async (now, tx) => {
      if (now.totpSecret === undefined || now.totpSince !== undefined)
        throw new EngineError('CONFLICT', 'No second factor is waiting to be confirmed.')
      const step = await this.#step(now, code)
      if (step === undefined) throw wrongCode()
      await tx.users.setRecoveryCodes(user.id, recoveryCodes.map(hashOf))
      return { ...now, totpSince: this.kit.now(), totpStep: step, sessionVersion: now.sessionVersion + 1 }
    })
    await this.limits.forgiveAll('user', 'code', user.id)
    return { recoveryCodes, session: await this.sessions.open(changed) }
  }

  /**
   * Makes new recovery codes, which are shown only here; the old ones no longer work. Throws EngineError `CONFLICT` when
   * the second factor is off, `VALIDATION_ERROR` (a wrong password or code), `RATE_LIMIT_EXCEEDED`.
   */
  async renewCodes(
    user: User,
    input: RenewCodesInput | UntrustedInput,
  ): Promise<{ readonly recoveryCodes: readonly string[] }> {
    const { password, code } = parse(RenewCodes, input)
    if (user.totpSince === undefined) throw isOff()
    await this.entrance.requirePassword(user, password, 'password')
    await this.limits.count('user', 'code', user.id)
    const recoveryCodes = Array.from({ length: CODES }, newCode)
    await changeUser(this.store, this.kit, user.id, async (now, tx) => {
      if (now.totpSince === undefined) throw isOff()
      const step = await this.#step(now, code)
      if (step === undefined) throw wrongCode()
      await tx.users.setRecoveryCodes(user.id, recoveryCodes.map(hashOf))
      return { ...now, totpStep: step }
    })
    await this.limits.forgiveAll('user', 'code', user.id)
    return { recoveryCodes }
  }

  /** How many recovery codes the user has left; undefined without a second factor. */
  async codesLeft({ id, totpSince }: User): Promise<number | undefined> {
    return totpSince === undefined ? undefined : this.store.users.recoveryCodes(id)
  }

  /**
   * Turns the second factor off; needs the password and a code. Ends all sessions; answers a new one. Throws EngineError `CONFLICT` when it is off,
   * `VALIDATION_ERROR` (a wrong password or code), `RATE_LIMIT_EXCEEDED`.
   */
  async disable(user: User, input: DisableInput | UntrustedInput): Promise<Session> {
    const { password, code } = parse(Disable, input)
    if (user.totpSince === undefined) throw isOff()
    await this.entrance.requirePassword(user, password, 'password')
    await this.limits.count('user', 'code', user.id)
    const changed = await changeUser(this.store, this.kit, user.id, async (now, tx) => {
      if (!(await this.#accept(tx, now, code))) throw wrongCode()
      return withoutSecondFactor(tx, now)
    })
    await this.limits.forgiveAll('user', 'code', user.id)
    return this.sessions.open(changed)
  }

  /**
   * The second step of a login, with a code or a recovery code. No code counts twice. Throws EngineError
   * `INVALID_SESSION` (the first step is too long ago), `INVALID_CREDENTIALS`, `RATE_LIMIT_EXCEEDED`.
   */
  async finishLogin(input: SecondStepInput | UntrustedInput, { browser }: Visitor = {}): Promise<LoggedIn> {
    const { token, code } = parse(SecondStep, input)
    const user = await this.sessions.userOfStep(token)
    // so that a person who has found out the password cannot use up the codes of a browser that was logged in before
    const known = await this.sessions.browserOf(browser, user)
    const about = ['code', user.id, ...(known === undefined ? [] : [known])]
    await this.limits.count('user', ...about)
    const entered = await changeUser(this.store, this.kit, user.id, async (now, tx) => {
      const accepted = await this.#accept(tx, now, code)
      if (!accepted) throw wrongEntry()
      return accepted
    })
    await this.limits.forgiveAll('user', ...about)
    return { user: entered, session: await this.sessions.open(entered) }
  }

  /** The user after this code was used up; undefined when it is wrong. */
  async #accept(tx: Repositories, user: User, code: string): Promise<User | undefined> {
    if (user.totpSince === undefined) return undefined
    const step = await this.#step(user, code)
    if (step !== undefined) return { ...user, totpStep: step }
    return (await tx.users.useRecoveryCode(user.id, hashOf(code))) ? user : undefined
  }

  /** The time step of a right code that is later than the last one accepted (RFC 6238, section 5.2). */
  async #step(user: User, code: string): Promise<number | undefined> {
    const digits = code.replace(/\s/g, '')
    if (!/^\d{6}$/.test(digits) || user.totpSecret === undefined) return undefined
    const secret = await this.sealing.open(user.totpSecret, user.id)
    if (secret === undefined) {
      this.kit.log.error('a second factor cannot be read: it was encrypted with another secret', { user: user.id })
      return undefined
    }
    const timestamp = this.kit.now().getTime()
    const delta = totpOf(user, Secret.fromBase32(secret)).validate({ token: digits, timestamp, window: 1 })
    if (delta === null) return undefined
    const step = Math.floor(timestamp / 1000 / STEP_SECONDS) + delta
    return step > (user.totpStep ?? 0) ? step : undefined
  }
}

function totpOf({ email }: User, secret: Secret): TOTP {
  return new TOTP({ issuer: ISSUER, label: email, secret, digits: 6, period: STEP_SECONDS, algorithm: 'SHA1' })
}

/** Four groups of four signs of base32 (RFC 4648). */
function newCode(): string {
  const secret = new Secret({ buffer: new Uint8Array(randomBytes(CODE_BYTES)).buffer })
  return secret.base32.toLowerCase().match(/.{4}/g)?.join('-') ?? secret.base32
}

function hashOf(code: string): string {
  return createHash('sha256')
    .update(code.toLowerCase().replace(/[^a-z2-7]/g, ''))
    .digest('base64url')
}

function isOff(): EngineError {
  return new EngineError('CONFLICT', 'There is no second factor.')
}

function wrongEntry(): EngineError {
  return new EngineError('INVALID_CREDENTIALS', 'The code is wrong, or was used before.', {
    suggestion:
      'Wait for the next code of your app, or use a recovery code that is left. If you have neither, the person who runs this server can turn the second factor off: Operator, People in the dashboard, or `mailwright users reset-password`.',
  })
}

function wrongCode(): EngineError {
  return invalidField('code', 'custom', 'is wrong, or was used before')
}
