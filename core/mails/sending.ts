import { warnOfReturn } from '../contacts/left-contacts.ts'
import { inject, injectable } from '../di.ts'
import { invalidField } from '../errors.ts'
import { Reputation, requireGood } from '../feedback/reputation.ts'
import { Kit } from '../kit.ts'
import { CompiledMails } from '../mail/compiled-mails.ts'
import { usualEnd } from '../mail/email.ts'
import type { ScheduledTask } from '../ports/scheduler.ts'
import type { MailContent } from '../ports/store/contents.ts'
import type { Email } from '../ports/store/emails.ts'
import type { Project } from '../ports/store/projects.ts'
import { type Repositories, Store } from '../ports/store/store.ts'
import type { Template } from '../ports/store/templates.ts'
import type { KnownContacts, WriteBatchWrites } from '../ports/store/write-batch.ts'
import { IdempotentRequest, type Once } from '../projects/idempotency.ts'
import { NameableTransports } from '../projects/nameable-transports.ts'
import { requireEnabled } from '../projects/project.ts'
import { countInQuotas, hasQuotas } from '../projects/quotas.ts'
import { checkedBody } from '../templates/check-content.ts'
import { namedTemplate } from '../templates/named-template.ts'
import { wholeBody } from '../templates/whole-body.ts'
import { earlier } from '../values/earlier.ts'
import type { UntrustedInput } from '../values/input.ts'
import type { Json, JsonObject, Untrusted } from '../values/json.ts'
import { knownOptions } from '../values/options.ts'
import { Pace } from '../values/pace.ts'
import { noteWarning } from '../values/parse.ts'
import { reactRendered, type WithReact } from '../values/react-element.ts'
import type { WaitOptions } from '../values/wait.ts'
import { yieldToLoop } from '../values/yield-to-loop.ts'
import { Doorbell, TOPICS } from '../work/doorbell.ts'
import { inHostTransaction } from '../work/host-transaction.ts'
import { removeAll } from '../work/rest.ts'
import type { Work } from '../work/work.ts'
import { type Acceptance, acceptance, acceptIn, contentInTurns, idsOf, type SendAnswer, weightOf } from './accept.ts'
import { AcceptRequests } from './accept-requests.ts'
import { type Answering, heldAnswers, isAnswer } from './answering.ts'
import {
  answersIn,
  type BatchAnswer,
  batchAcceptance,
  batchError,
  type Draft,
  fingerprintOfAll,
  isSound,
  needsOf,
  OnlyAsked,
  readBatch,
  requireAll,
  requireFewRecipients,
  type SendBatchInput,
} from './send-batch.ts'
import { SEND_OPTIONS, type SendOptions } from './send-options.ts'
import {
  fieldsAsSent,
  noteWarningsOfSend,
  ofOneWorld,
  readSendRequest,
  requireFits,
  type SendInput,
  type SendRequest,
  type TogetherRequest,
  together,
} from './send-request.ts'
import { emailWithResult } from './stored-email.ts'

/** How a submitted message goes. */
export interface SubmitOptions {
  /** The same key and meaning within 24 hours is sent once. */
  readonly once?: { readonly key: string; readonly meaning: Json } | undefined
  readonly scheduledFor?: Date | undefined
  readonly tags?: Readonly<Record<string, string>> | undefined
}

/** Accepts mail. Once it has answered, the mail is stored and will be sent, whatever happens to the process. */
@injectable()
export class Sending {
  readonly #requests: AcceptRequests
  /** Called with mails that answer others. */
  answering: Answering | undefined

  constructor(
    @inject(Store) private readonly store: Store,
    @inject(Doorbell) private readonly doorbell: Doorbell,
    @inject(CompiledMails) private readonly compiled: CompiledMails,
    @inject(Reputation) private readonly reputation: Reputation,
    @inject(NameableTransports) private readonly nameable: NameableTransports,
    @inject(Kit) private readonly kit: Kit,
  ) {
    this.#requests = new AcceptRequests(store, (...given) => this.#sendStored(...given), kit)
  }

  /**
   * Accepts one transactional mail per recipient. `input` is the body of `POST /v1/send`. Answers when contacts, e-mail
   * records and events are committed. Throws EngineError `VALIDATION_ERROR`, `TEMPLATE_NOT_FOUND`,
   * `DOMAIN_NOT_VERIFIED`, `BAD_REQUEST` (marketing to an unsubscribed contact), `CONFLICT` (marketing whose links lead
   * nowhere, or from a domain whose marketing is stopped), `PROJECT_DISABLED`, `IDEMPOTENCY_KEY_REUSED`; then nothing
   * is stored. With `client`, everything is stored in the transaction that is open on it, and sent once that is committed.
   */
  async send(
    project: Project,
    given: (SendInput & WithReact) | UntrustedInput,
    options: SendOptions = {},
  ): Promise<Once<SendAnswer>> {
    requireEnabled(project)
    const input = await reactRendered(given)
    const { client, ...here } = knownOptions(options, SEND_OPTIONS)
    if (client !== undefined) return this.#within(project, client, (sending) => sending.send(project, input, here))
    const now = this.kit.now()
    const { idempotencyKey: key, meaning = input } = options
    const keyed = { project, key, operation: 'send', input: meaning, now }
    const asked = IdempotentRequest.of<SendAnswer>(this.store.writeBatch, keyed)
    const known = await asked.earlier()
    if (known) {
      noteWarningsOfSend(input)
      return known
    }
    return this.#take(await this.#draft(project, input, now), asked, input)
  }

  /**
   * Accepts many requests of `POST /v1/send` in one commit: all that are right are sent, or none after a crash. `input`
   * is the body of `POST /v1/send/batch`. Each message is refused by itself; its result says why. Throws EngineError
   * `VALIDATION_ERROR` (no list of 1 to 500 messages, more than 1,000 recipients, a `react` that is none),
   * `PROJECT_DISABLED`, `IDEMPOTENCY_KEY_REUSED`; then nothing is stored.
   */
  async sendBatch(
    project: Project,
    given: SendBatchInput | UntrustedInput,
    options: SendOptions = {},
  ): Promise<Once<BatchAnswer>> {
    requireEnabled(project)
    const input = await reactRendered(given)
    const { client, ...here } = knownOptions(options, SEND_OPTIONS)
    if (client !== undefined) return this.#within(project, client, (sending) => sending.sendBatch(project, input, here))
    const { idempotencyKey: key, meaning: said } = here
    const now = this.kit.now()
    const { messages, allOrNone, dryRun } = readBatch(input)
    const kept = dryRun ? undefined : key
    const meaning = kept === undefined ? undefined : (said ?? (await fingerprintOfAll(messages, allOrNone)))
    const keyed = { project, key: kept, operation: 'send batch', input: meaning, now }
    const asked = IdempotentRequest.of<BatchAnswer>(this.store.writeBatch, keyed)
    const known = await asked.earlier()
    if (known) {
      for (const message of messages) noteWarningsOfSend(message)
      return known
    }
    const pace = new Pace()
    const drafts: Draft[] = []
    for (const message of messages) {
      await pace.rest()
      drafts.push(await this.#draft(project, message, now).catch(batchError))
    }
    if (allOrNone) requireAll(drafts)
    requireFewRecipients(drafts)
    const checked = await this.#validated(project, drafts, { now, messages })
    if (allOrNone) requireAll(checked)
    const decide = (known: KnownContacts) => {
      const writes = batchAcceptance(known, checked, this.kit.newId)
      if (allOrNone) requireAll(writes.answer.results)
      return writes
    }
    if (dryRun) return { answer: await this.#asked(project, checked, now, decide), replayed: false }
    return this.#takeAll(project, checked, { now, asked, decide })
  }

  /**
   * The mail once it has a result, such as DELIVERED, SENT, BOUNCED or FAILED; `id` is the `email` of an answer of
   * `send`. A mail that is put off is waited for until its last try. Throws EngineError `EMAIL_NOT_FOUND`;
   * `SERVICE_UNAVAILABLE` when `timeoutMs` (30 seconds by default) is over, with the status and the last error;
   * `VALIDATION_ERROR`.
   */
  delivered(project: Project, id: string, options: WaitOptions = {}): Promise<Email> {
    return emailWithResult(this.store, project.id, id, options)
  }

  /**
   * Accepts a whole submitted message, as one transactional mail per recipient. Throws EngineError `IDEMPOTENCY_KEY_REUSED`.
   */
  async submit(
    project: Project,
    content: MailContent,
    to: readonly string[],
    { once, scheduledFor, tags }: SubmitOptions = {},
  ): Promise<Once<SendAnswer>> {
    const now = content.createdAt
    const keyed = { project, key: once?.key, operation: 'submit', input: once?.meaning, now }
    const asked = IdempotentRequest.of<SendAnswer>(this.store.writeBatch, keyed)
    const known = await asked.earlier()
    if (known) return known
    const request = { to: to.map((email) => ({ email })), scheduledFor, tags }
    const expiresAt = scheduledFor && usualEnd(scheduledFor, this.kit.settings)
    return this.#take({ project, request, content, templateId: undefined, expiresAt, now }, asked)
  }

  /**
   * Accepts a mail within a transaction of another room: `work` begins that transaction and calls `take` in it, once.
   * `input` is the body of `POST /v1/send`. Throws as `send` does, and what `work` throws; then nothing is stored.
   */
  async acceptWithin<T>(
    project: Project,
    input: SendInput,
    work: (take: (tx: Repositories) => Promise<SendAnswer>) => Promise<T>,
  ): Promise<T> {
    requireEnabled(project)
    const now = this.kit.now()
    const drafted = await this.#draft(project, input, now)
    const { request, content } = drafted
    const validate = this.compiled.briefValidatorOf(content)
    const counted = hasQuotas(project) ? await countInQuotas(this.store, project, request.to, this.kit) : undefined
    const begun = performance.now()
    let taken: readonly string[] = []
    const take = async (tx: Repositories) => {
      const answer = await acceptIn(tx, { ...drafted, validate }, this.kit.newId)
      taken = idsOf(answer)
      return answer
    }
    try {
      const answer = await work(take)
      this.#committed(taken, begun, request.scheduledFor ?? now)
      return answer
    } catch (error) {
      await counted?.keep([])
      throw error
    }
  }

  /** The work in the background. */
  works(): readonly Work[] {
    return [this.#requests]
  }

  /** The scheduled tasks; only workers run them. */
  tasks(): readonly ScheduledTask[] {
    const clear = (most: number) => this.#requests.clear(most)
    return [{ name: 'clear send requests', cron: '27 * * * *', run: (signal) => removeAll(clear, signal) }]
  }

  /**
   * Accepts a mail that another program has asked for in the database; `id` becomes the id of its first mail. However often
   * it is called with this id, the mail is sent once; `again` says that it was called before. Throws as `send` does.
   */
  async #sendStored(
    project: Project,
    input: Untrusted,
    { id, again }: { readonly id: string; readonly again: boolean },
  ): Promise<SendAnswer> {
    requireEnabled(project)
    const now = this.kit.now()
    const keyed = { project, key: id, operation: 'stored send', input: undefined, now }
    const asked = IdempotentRequest.of<SendAnswer>(this.store.writeBatch, keyed)
    const known = await asked.earlier()
    if (known) return known.answer
    // answers are forgotten after a day, mails are not
    const [sent] = again ? await this.store.emails.some(project.id, [id]) : []
    if (sent) {
      const emails = [{ contact: { id: sent.contactId ?? '', email: sent.to }, email: id }]
      return { emails, timestamp: sent.createdAt.toISOString() }
    }
    const drafted = await this.#draft(project, input, now)
    return (await this.#take({ ...drafted, firstId: id }, asked, input)).answer
  }

  /** Sends inside the host's transaction. Everything is read there, too: the host may have all connections in use. */
  async #within<T extends Json>(
    project: Project,
    client: object,
    work: (sending: Sending) => Promise<Once<T>>,
  ): Promise<Once<T>> {
    const isStored = async (ids: readonly string[]) => (await this.store.emails.some(project.id, ids)).length > 0
    const { hear, wasStored } = heldAnswers(project, isStored, this.answering)
    const hosted = { store: this.store, doorbell: this.doorbell, kit: this.kit }
    return inHostTransaction(hosted, client, wasStored, ({ store, doorbell, kit }) => {
      const sending = new Sending(store, doorbell, this.compiled, new Reputation(store, kit), this.nameable, kit)
      sending.answering = hear
      return work(sending)
    })
  }

  /** Reads a request and checks all that needs no contact. */
  async #draft(project: Project, input: Untrusted, now: Date): Promise<Omit<Acceptance, 'validate'>> {
    const request = await this.#addressed(project, readSendRequest(input, now, project), now)
    await requireFits(request)
    const { template: named, transport, scheduledFor } = request
    if (transport != null) this.nameable.require(project.id, transport)
    const template = named == null ? undefined : await namedTemplate(this.store, project, named)
    const body = await this.#body(project, request, template)
    const content = await contentInTurns(project, request, { template, body }, now)
    if (content.marketing && request.together) throw invalidField('together', 'custom', ALONE)
    this.compiled.requireSendable(content)
    if (request.body != null) this.compiled.warnOfPlaces(request.body, 'body', input)
    // scheduled mail is checked when it is due
    if (content.marketing && !scheduledFor) requireGood(await this.reputation.stopped(project.id, content.from.email))
    const expiresAt = request.expiresAt ?? (scheduledFor ? usualEnd(scheduledFor, this.kit.settings) : undefined)
    return { project, request, content, templateId: template?.id, expiresAt, now }
  }

  /** The request with its recipients as its mails have them. */
  async #addressed(project: Project, request: SendRequest, now: Date): Promise<TogetherRequest> {
    if (!request.together || request.to.length === 1) return ofOneWorld(request, this.kit.settings)
    const addresses = request.to.map(({ email }) => email)
    const suppressed = await this.store.suppressions.among(project.id, addresses, now)
    return ofOneWorld(together(request, suppressed), this.kit.settings)
  }

  /** The mail's body with its snippets and its layout; a template's own was checked when it was stored. */
  #body(project: Project, { body, layoutId }: TogetherRequest, template: Template | undefined): Promise<string> {
    const written = { body: body ?? template?.body ?? '', layoutId: layoutId ?? template?.layoutId }
    return body == null
      ? wholeBody(this.store, project, written)
      : checkedBody(this.compiled, this.store, project, written)
  }

  /**
   * Refuses drafts whose content breaks a limit with their recipients' values, which are asked for before: validating
   * all of them within the commit would hold up everybody.
   */
  async #validated(
    project: Project,
    drafts: readonly Draft[],
    { now, messages }: { readonly now: Date; readonly messages: readonly Untrusted[] },
  ): Promise<readonly Draft[]> {
    if (!drafts.some((draft) => isSound(draft) && this.compiled.isFilledIn(draft.content))) return drafts
    const values = new Map<number, readonly JsonObject[]>()
    const learn = (place: number, variables: readonly JsonObject[]) => void values.set(place, variables)
    await this.#asked(project, drafts, now, (known) => batchAcceptance(known, drafts, this.kit.newId, learn))
    const checked = [...drafts]
    for (const [place, variables] of values) {
      const draft = drafts[place]
      if (draft === undefined || !isSound(draft)) continue
      await yieldToLoop()
      this.#warnOfSubject(draft.content, variables, messages[place])
      await this.compiled
        .withValidator(draft.content, async (validate) => validate(variables))
        .catch((error: unknown) => {
          checked[place] = batchError(fieldsAsSent(error, messages[place]))
        })
    }
    return checked
  }

  /** The answer that this decision would have; nothing is written. */
  async #asked(project: Project, drafts: readonly Draft[], now: Date, decide: Decide): Promise<BatchAnswer> {
    let answer: BatchAnswer = { results: [] }
    const asked = this.store.writeBatch.commit<BatchAnswer>({
      projectId: project.id,
      now,
      ...needsOf(drafts),
      decide: (known) => {
        answer = decide(known).answer
        throw new OnlyAsked()
      },
    })
    await asked.catch((error: unknown) => {
      if (!(error instanceof OnlyAsked)) throw error
    })
    return answer
  }

  async #takeAll(
    project: Project,
    drafts: readonly Draft[],
    { now, asked, decide }: Taking,
  ): Promise<Once<BatchAnswer>> {
    const begun = performance.now()
    const to = drafts.filter(isSound).flatMap(({ request }) => request.to)
    const counted = hasQuotas(project) ? await countInQuotas(this.store, project, to, this.kit) : undefined
    const once = await asked.commit({ ...needsOf(drafts), decide }).catch(async (error: unknown) => {
      await counted?.keep([])
      throw error
    })
    const [first, ...others] = drafts.filter(isSound).map(({ request }) => request.scheduledFor ?? now)
    const accepted = once.answer.results.flatMap((result) => (result.success ? result.data.emails : []))
    await counted?.keep(once.replayed ? [] : accepted.map(({ contact }) => contact))
    const ids = accepted.map(({ email }) => email)
    if (!once.replayed) this.#committed(ids, begun, first && others.reduce(earlier, first))
    if (!once.replayed) await this.answering?.(project, answersIn(drafts, once.answer))
    return once
  }

  async #take(
    accepted: Omit<Acceptance, 'validate'>,
    asked: IdempotentRequest<SendAnswer>,
    input?: Untrusted,
  ): Promise<Once<SendAnswer>> {
    const { project, request, content, now } = accepted
    let all: readonly JsonObject[] = []
    let begun = 0
    const counted = hasQuotas(project) ? await countInQuotas(this.store, project, request.to, this.kit) : undefined
    const once = await this.compiled
      .withValidator(content, (validate) => {
        begun = performance.now()
        return asked.commit({
          addresses: [...new Set(request.to.map(({ email }) => email))],
          weight: weightOf(accepted),
          decide: (known) => {
            const learning = (variables: readonly JsonObject[]) => {
              all = variables
              validate(variables)
            }
            for (const { email } of request.to) warnOfReturn(input, known.byAddress(email), request.subscribed)
            return acceptance(known, { ...accepted, validate: learning }, this.kit.newId)
          },
        })
      })
      .catch(async (error: unknown) => {
        await counted?.keep([])
        throw fieldsAsSent(error, input)
      })
    if (once.replayed) await counted?.keep([])
    this.#warnOfSubject(content, all, input)
    if (!once.replayed) this.#committed(idsOf(once.answer), begun, request.scheduledFor ?? now)
    // most mails have no fields of their own
    const mayAnswer = content.headers.length > 0 || content.submitted !== undefined
    if (mayAnswer && !once.replayed && isAnswer(content)) await this.answering?.(project, idsOf(once.answer))
    return once
  }

  #warnOfSubject(content: MailContent, all: readonly JsonObject[], input: Untrusted): void {
    const blank = this.compiled.blankSubjects(content, all)
    if (blank === 0) return
    const whose = all.length > 1 ? ` for ${blank} of ${all.length} recipients` : ''
    noteWarning(input, { field: 'subject', message: `is empty once it is filled in${whose}` })
  }

  /** Call it when mails were committed: counts them, and rings at the time the first is due. */
  #committed(emailIds: readonly string[], begun: number, due: Date | undefined): void {
    this.kit.metrics.committed('accept', performance.now() - begun)
    this.kit.metrics.accepted('transactional', emailIds.length)
    this.kit.traces.accepted(emailIds)
    if (due) this.doorbell.ring(TOPICS.mail, { lane: 'transactional', at: due })
  }
}

/** Decides what a batch writes. */
type Decide = (known: KnownContacts) => WriteBatchWrites<BatchAnswer>

interface Taking {
  readonly now: Date
  readonly asked: IdempotentRequest<BatchAnswer>
  readonly decide: Decide
}

const ALONE = "is not possible with a marketing template, whose mail has its recipient's own links: leave it out"
