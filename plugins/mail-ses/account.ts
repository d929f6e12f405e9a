import type { GetAccountResponse, SESv2Client } from '@aws-sdk/client-sesv2'
import type { Log } from '../../core/ports/log.ts'
import type { ProviderAllowance } from '../../core/ports/mail-transport.ts'
import type { SesSdk } from '../kit/ses/client.ts'
import { troubleOf } from '../kit/ses/trouble.ts'

/** Milliseconds until the quota is read again, since Amazon raises and lowers it. */
const QUOTA_MS = 10 * 60_000
/** The part of the daily quota at which a warning is logged. */
const WARN_AT = 0.9

/** The account's quota and state at Amazon. */
export class SesAccount {
  readonly #sdk: SesSdk
  readonly #client: SESv2Client
  readonly #log: Log
  /** Called with the number of recipients per second that the account may have. */
  readonly #learnt: (perSecond: number | undefined) => void
  #askedAt = Number.NEGATIVE_INFINITY
  readonly #said = new Set<string>()

  constructor(sdk: SesSdk, client: SESv2Client, log: Log, learnt: (perSecond: number | undefined) => void) {
    this.#sdk = sdk
    this.#client = client
    this.#log = log
    this.#learnt = learnt
  }

  /**
   * Asks now. Rejects when Amazon cannot be asked, or lets this account send nothing. An account that
   * may not ask may still send.
   */
  async read(signal?: AbortSignal): Promise<void> {
    this.#askedAt = performance.now()
    const account = await this.#ask(signal)
    if (account === undefined) return this.#say('quota', QUOTA_UNKNOWN)
    this.#note(account)
  }

  /** The quota of now, and how much of it is used. Rejects when it cannot be had. */
  async allowance(): Promise<ProviderAllowance> {
    const account = await this.#ask()
    if (account === undefined) throw new Error('Amazon SES does not tell this server its quota: allow ses:GetAccount')
    const {
      Max24HourSend: perDay = -1,
      MaxSendRate: perSecond = -1,
      SentLast24Hours: sent = 0,
    } = account.SendQuota ?? {}
    // -1 stands for no limit
    return { ...(perDay < 0 ? {} : { perDay }), sent, ...(perSecond < 0 ? {} : { perSecond }) }
  }

  /** The answer of Amazon; undefined where this server may not ask. */
  async #ask(signal?: AbortSignal): Promise<GetAccountResponse | undefined> {
    try {
      return await this.#client.send(new this.#sdk.GetAccountCommand({}), signal ? { abortSignal: signal } : {})
    } catch (error) {
      const trouble = troubleOf(error)
      if (trouble.kind !== 'answered')
        throw new Error(`Amazon SES cannot be asked: ${trouble.reason}`, { cause: error })
      if (trouble.name === 'AccessDeniedException') return undefined
      throw new Error(`Amazon SES refuses this server: ${trouble.reason} (${trouble.name})`, { cause: error })
    }
  }

  /** Asks in the background if the last time was long ago. Never rejects. */
  refresh(): void {
    if (performance.now() - this.#askedAt < QUOTA_MS) return
    this.read().catch((error) => this.#log.debug('could not read the quota again', { error }))
  }

  #note({ SendQuota = {}, SendingEnabled, EnforcementStatus, ProductionAccessEnabled }: GetAccountResponse): void {
    const { MaxSendRate, Max24HourSend = -1, SentLast24Hours = 0 } = SendQuota
    this.#learnt(MaxSendRate !== undefined && MaxSendRate > 0 ? MaxSendRate : undefined)
    if (SendingEnabled === false || EnforcementStatus === 'SHUTDOWN') {
      throw new Error('Amazon SES has paused sending for this account: see the messages in its console')
    }
    if (ProductionAccessEnabled === false) this.#say('sandbox', SANDBOX)
    if (EnforcementStatus === 'PROBATION') this.#say('probation', 'Amazon SES has the account under review')
    if (Max24HourSend > 0 && SentLast24Hours >= WARN_AT * Max24HourSend) {
      this.#say('day', `of ${Max24HourSend} mails in 24 hours Amazon SES has sent ${SentLast24Hours}`)
    } else this.#said.delete('day')
  }

  /** Logs each message once, since such a state lasts. */
  #say(what: string, message: string): void {
    if (!this.#said.has(what)) this.#log.warn(message)
    this.#said.add(what)
  }
}

const QUOTA_UNKNOWN = 'the quota cannot be read, so mail goes out as fast as Amazon takes it; allow ses:GetAccount'
const SANDBOX = 'the account is in the sandbox of Amazon SES: only addresses and domains verified there get mail'
