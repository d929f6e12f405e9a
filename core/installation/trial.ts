import { EngineError } from '../errors.ts'
import type { Kit } from '../kit.ts'
import type { DomainKeys } from '../mail/dkim/domain-keys.ts'
import { Composing } from '../mail/mime/composing.ts'
import type { Plugin } from '../plugin/types.ts'
import {
  HOP_TROUBLES,
  type HopTrouble,
  type HopWarning,
  type MailTransport,
  type OutgoingMail,
} from '../ports/mail-transport.ts'
import { domainOf } from '../values/email-address.ts'
import type { ProjectId } from '../values/project-id.ts'
import { LATE, within } from '../values/within.ts'
import type { InstallationParts } from './options.ts'

/** How long a trial may take, in milliseconds, and how long connecting and logging in may take of it, in seconds. */
const TRIAL_MS = 15_000
export const CONNECT_SECONDS = 11
/** How many trials a process makes at once, and how many of them for one project. */
const MAX_AT_ONCE = 5
const MAX_OF_PROJECT = 2

/** The result of a trial. */
export interface TrialResult {
  /** Whether the server can be reached and takes the login, and the test mail when there is one. */
  readonly ok: boolean
  /** How far it got, when it failed: the connection, or the mail. */
  readonly at?: 'connection' | 'mail'
  /** The reason why no connection could be made, in a word that programs know; absent when no word fits. */
  readonly trouble?: HopTrouble
  /** The same in a sentence, with what the server said. */
  readonly reason?: string
  /** The answer of the server to the mail that it took. */
  readonly response?: string
  /** Why mail may not arrive, although this machine can send it; absent when nothing is known. */
  readonly warnings?: readonly HopWarning[]
}

/** A mail to send for a try. */
export interface TrialMail {
  readonly from: string
  readonly to: string
  readonly language: 'en' | 'de'
}

/** Tries mail servers before mail depends on them. */
export class Trials {
  /** For whom each of them runs: a project, or the operator. */
  readonly #running: (ProjectId | undefined)[] = []

  /** `domainKeys` sign the mails; without them they are not signed. */
  constructor(
    private readonly domainKeys: DomainKeys | undefined,
    private readonly kit: Kit,
    private readonly parts: Pick<InstallationParts, 'outside'>,
  ) {}

  /**
   * Connects and logs in, then sends the mail if there is one; in 15 seconds at most. Throws EngineError
   * `RATE_LIMIT_EXCEEDED` when five trials run already, or two of this project.
   */
  async run(
    plugin: Plugin<'transport'>,
    mail: TrialMail | undefined,
    projectId: ProjectId | undefined,
  ): Promise<TrialResult> {
    const own = this.#running.filter((each) => each !== undefined && each === projectId)
    if (this.#running.length >= MAX_AT_ONCE || own.length >= MAX_OF_PROJECT) {
      throw new EngineError('RATE_LIMIT_EXCEEDED', 'Other mail servers are being tried.', {
        suggestion: 'Try again soon.',
      })
    }
    this.#running.push(projectId)
    const abort = new AbortController()
    let isConnected = false
    try {
      const { transport, close } = await plugin.open({ log: this.kit.log, clock: this.kit, ...this.parts.outside })
      const result = await within(
        TRIAL_MS,
        this.#tried(plugin, transport, mail, abort.signal, () => (isConnected = true)),
      )
      abort.abort()
      void Promise.resolve(transport.close?.())
        .then(() => close?.())
        .catch(() => {})
      if (result !== LATE) return result
      const reason = `no answer within ${TRIAL_MS / 1000} seconds`
      if (isConnected) return { ok: false, at: 'mail', reason }
      return { ok: false, at: 'connection', trouble: 'no-answer', reason }
    } finally {
      this.#running.splice(this.#running.indexOf(projectId), 1)
    }
  }

  async #tried(
    plugin: Plugin<'transport'>,
    transport: MailTransport,
    mail: TrialMail | undefined,
    signal: AbortSignal,
    connected: () => void,
  ): Promise<TrialResult> {
    let found: readonly HopWarning[] = []
    try {
      const [, told] = await Promise.all([
        plugin.reach?.(),
        transport.tryOut ? transport.tryOut() : transport.check?.(),
      ])
      found = told ?? []
    } catch (error) {
      return { ok: false, at: 'connection', ...troubleOf(error) }
    }
    connected()
    const warnings = found.length === 0 ? {} : { warnings: found }
    if (mail === undefined) return { ok: true, ...warnings }
    try {
      const answer = await transport.send(await this.#outgoing(mail), signal)
      if (answer.outcome === 'accepted' && !answer.refused?.length)
        return { ok: true, ...(answer.response === undefined ? {} : { response: answer.response }), ...warnings }
      const { code, reason } =
        answer.outcome === 'refused' ? answer : (answer.refused?.[0] ?? { code: undefined, reason: '' })
      const said = code === undefined || reason.includes(String(code)) ? reason : `${code} ${reason}`
      return { ok: false, at: 'mail', reason: said, ...warnings }
    } catch (error) {
      return { ok: false, at: 'mail', reason: textOf(error), ...warnings }
    }
  }

  async #outgoing({ from, to, language }: TrialMail): Promise<OutgoingMail> {
    const id = this.kit.newId()
    const messageId = `<${id}@${domainOf(from)}>`
    const { subject, text } = WORDS[language]
    const headers = [['Auto-Submitted', 'auto-generated'] as const]
    const parts = {
      from: { email: from },
      to: [{ email: to }],
      cc: [],
      replyTo: [],
      subject,
      text,
      headers,
      attachments: [],
      messageId,
    }
    const message = new Composing().compose({ ...parts, date: this.kit.now() })
    return {
      ...parts,
      id,
      envelope: { from, to: [to] },
      bcc: [],
      tags: {},
      raw: async () => ((await this.domainKeys?.sign(message, from)) ?? message) as Uint8Array<ArrayBuffer>,
    }
  }
}

/** The words of the test mail. */
const WORDS = {
  en: {
    subject: 'A test of your mail server',
    text: 'This mail went through the mail server that you are setting up: it works. There is no need to reply.\n',
  },
  de: {
    subject: 'Ein Test Ihres Mailservers',
    text: 'Diese Mail ging durch den Mailserver, den Sie gerade einrichten: Er funktioniert. Sie brauchen nicht zu antworten.\n',
  },
} as const

/** The trouble that an error of `check` names. */
function troubleOf(error: unknown): Pick<TrialResult, 'trouble' | 'reason'> {
  const given: unknown = error instanceof Error ? Reflect.get(error, 'trouble') : undefined
  const trouble = HOP_TROUBLES.find((each) => each === given)
  return { ...(trouble === undefined ? {} : { trouble }), reason: textOf(error) }
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
