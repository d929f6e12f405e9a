import * as v from 'valibot'
import { inject, injectable } from '../di.ts'
import { EngineError, invalidField } from '../errors.ts'
import { filterIn, isCondition, placeOfFilter } from '../filters/condition-step.ts'
import { PartKeys } from '../filters/filter-keys.ts'
import { Filters } from '../filters/filters.ts'
import { CompiledMails } from '../mail/compiled-mails.ts'
import type { TemplateSource } from '../mail/thread/mail-question.ts'
import type { Project } from '../ports/store/projects.ts'
import type { StepType } from '../ports/store/workflows.ts'
import { WebhookSender } from '../ports/webhook-sender.ts'
import { requireVerifiedDomain } from '../projects/project.ts'
import { isJsonObject, type Json, type JsonObject } from '../values/json.ts'
import { noteUnknownKeys, refused } from '../values/parse.ts'
import { readConfig, templatedTexts } from './step-config.ts'

/** The keys of a CONDITION's config: those of the filter, or the key that holds it. */
const ConditionKeys = v.lazy((config) => {
  const key = isJsonObject(config) ? placeOfFilter(config) : undefined
  return key === undefined ? PartKeys : v.object({ [key]: PartKeys })
})

/** The part of a URL before its path, if it has no placeholder. */
const ORIGIN = /^https?:\/\/[^/?#{}\s]+(?=[/?#]|$)/i

/** How many texts with placeholders a step may have, and how many characters in all. */
const MAX_TEXTS = 500
const MAX_TEXT = 64 * 1024

/** Reads the configs of steps. */
@injectable()
export class StepConfigs {
  constructor(
    @inject(Filters) private readonly filters: Filters,
    @inject(CompiledMails) private readonly mails: CompiledMails,
    @inject(WebhookSender) private readonly sender: WebhookSender,
  ) {}

  /**
   * The config of a step of this type as it is stored. Do not call it inside a transaction. Throws EngineError
   * `VALIDATION_ERROR` with places such as `config.amount` (also for placeholders that do not parse and missing
   * segments), `DOMAIN_NOT_VERIFIED` for a sender.
   */
  async read(project: Project, type: StepType, input: JsonObject): Promise<JsonObject> {
    if (type === 'CONDITION') return this.#condition(project, input)
    const config = readConfig(type, input)
    await this.#checkTemplates(type, config)
    this.#checkTarget(type, config)
    const sender = senderIn(config)
    if (type === 'SEND_EMAIL' && sender !== undefined) requireVerifiedDomain(project, sender)
    return config
  }

  /** A single condition stays one; a filter may also be under `filter` or `condition`. */
  async #condition(project: Project, input: JsonObject): Promise<JsonObject> {
    noteUnknownKeys(ConditionKeys, input)
    const [place, given] = filterIn(input)
    if (!isCondition(given)) return asJson(await this.filters.readInWorkflow(project, given, place))
    try {
      const filter = await this.filters.readInWorkflow(project, { operator: 'AND', conditions: [given] }, place)
      return asJson(filter.conditions[0] ?? filter)
    } catch (error) {
      if (!EngineError.is(error) || error.code !== 'VALIDATION_ERROR') throw error
      throw refused(error.fields.map((each) => ({ ...each, field: each.field.replace('.conditions.0', '') })))
    }
  }

  /** Checks the literal part of the URL; values of placeholders are checked with the request. */
  #checkTarget(type: StepType, { url }: JsonObject): void {
    if (type !== 'WEBHOOK' || typeof url !== 'string') return
    const origin = ORIGIN.exec(url)?.[0]
    const message = origin === undefined ? undefined : this.sender.refusal?.(origin)
    if (message !== undefined) throw refused([{ field: 'config.url', code: 'custom', message }])
  }

  async #checkTemplates(type: StepType, config: JsonObject): Promise<void> {
    const texts = [...templatedTexts(type, config)].filter(([, text]) => text.includes('{'))
    refuseMany(texts)
    const sources: TemplateSource[] = texts.map(([field, source]) => ({ kind: 'text', source, field }))
    if (type === 'SEND_EMAIL') {
      const { subject, body } = config
      if (typeof subject === 'string') sources.push({ kind: 'subject', source: subject, field: 'config.subject' })
      if (typeof body === 'string') sources.push({ kind: 'html', source: body, field: 'config.body' })
    }
    await this.mails.check(sources)
  }
}

/** Texts of steps are filled in for each contact on the event loop, so their limits are lower than those of mails. */
function refuseMany(texts: readonly (readonly [place: string, text: string])[]): void {
  const [first] = texts
  if (first === undefined) return
  const field = first[0].split('.').slice(0, 2).join('.')
  if (texts.length > MAX_TEXTS) {
    throw invalidField(field, 'too_big', `must have at most ${MAX_TEXTS} texts with placeholders`)
  }
  if (texts.reduce((sum, [, { length }]) => sum + length, 0) > MAX_TEXT) {
    throw invalidField(field, 'too_big', `must have at most ${MAX_TEXT / 1024} KB of text with placeholders`)
  }
}

/** The sender's address in the config of a SEND_EMAIL step, if any. */
export function senderIn({ from }: JsonObject): string | undefined {
  const address = isJsonObject(from) ? from.email : from
  return typeof address === 'string' ? address : undefined
}

function asJson(filter: object): JsonObject {
  const json: Json = JSON.parse(JSON.stringify(filter))
  return isJsonObject(json) ? json : {}
}
