import { invalidField } from '../errors.ts'
import type { Filters } from '../filters/filters.ts'
import type { CompiledMails } from '../mail/compiled-mails.ts'
import type { TemplateSource } from '../mail/thread/mail-question.ts'
import type { Project } from '../ports/store/projects.ts'
import type { Store } from '../ports/store/store.ts'
import type { WebhookSender } from '../ports/webhook-sender.ts'
import type { NameableTransports } from '../projects/nameable-transports.ts'
import { checkContent } from '../templates/check-content.ts'
import { type JsonObject, jsonObject } from '../values/json.ts'
import { readSent, rulesOf, type StepType } from './steps/registry.ts'

/** How many texts with placeholders a step may have, and how many characters in all. */
const MAX_TEXTS = 500
const MAX_TEXT = 64 * 1024

/** Reads the configs of steps. */
export class StepConfigs {
  constructor(
    private readonly store: Store,
    private readonly filters: Filters,
    private readonly mails: CompiledMails,
    private readonly webhooks: WebhookSender,
    private readonly nameable: NameableTransports,
  ) {}

  /**
   * The config of a step of this type as stored. Do not call it inside a transaction. Throws EngineError
   * `VALIDATION_ERROR` with places such as `config.amount` (also for placeholders that do not parse and missing
   * segments), `DOMAIN_NOT_VERIFIED` for a sender of others.
   */
  async read(project: Project, type: StepType, sent: JsonObject): Promise<JsonObject> {
    const read = readSent(type, sent)
    const { texts, check } = rulesOf(read)
    const sources = texts().filter(({ kind, source }) => kind !== 'text' || source.includes('{'))
    refuseMany(sources.filter(({ kind }) => kind === 'text'))
    await checkContent(this.mails, this.store, sources, { projectId: project.id, input: sent })
    const given = { filters: this.filters, webhooks: this.webhooks, nameable: this.nameable, reads: this.store }
    await check({ project, sent, ...given })
    // it came as JSON; converting it again drops what is undefined
    const stored: JsonObject = JSON.parse(JSON.stringify(read.config))
    return jsonObject(Object.entries(stored).filter(([, value]) => value !== null))
  }
}

/** Texts of steps are filled in for each contact on the event loop, so their limits are lower than those of mails. */
function refuseMany(texts: readonly TemplateSource[]): void {
  const [first] = texts
  if (first === undefined) return
  const field = first.field.split('.').slice(0, 2).join('.')
  if (texts.length > MAX_TEXTS) {
    throw invalidField(field, 'too_big', `must have at most ${MAX_TEXTS} texts with placeholders`)
  }
  if (texts.reduce((sum, { source }) => sum + source.length, 0) > MAX_TEXT) {
    throw invalidField(field, 'too_big', `must have at most ${MAX_TEXT / 1024} KB of text with placeholders`)
  }
}
