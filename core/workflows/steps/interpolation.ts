import type { ContactUrls, Links } from '../../mail/links/links.ts'
import { type FilterTrouble, FilterTroubles } from '../../mail/render/filter-troubles.ts'
import type { Rendering } from '../../mail/render/rendering.ts'
import { lookupOf, type MailVariables, ownValue } from '../../mail/render/scope.ts'
import { LimitedLog } from '../../ports/limited-log.ts'
import type { Log } from '../../ports/log.ts'
import type { Contact } from '../../ports/store/contacts.ts'
import type { Execution } from '../../ports/store/executions.ts'
import { isJsonObject, type Json, type JsonObject, jsonObject } from '../../values/json.ts'
import { processorTime } from '../../values/processor-time.ts'

/** A value that is a single placeholder. */
const ALONE = /^\s*\{\{\s*([\p{L}_][\p{L}\p{N}_-]*(?:\.[\p{L}\p{N}_][\p{L}\p{N}_-]*)*)\s*\}\}\s*$/u

/** How long all the texts of one step may take for one contact, in milliseconds: this blocks the event loop. */
const MAX_RENDER_MS = 150
/** How many troubles with filters a project's steps may log a minute. */
const MOST_PER_MINUTE = 5

/** Fills in placeholders for one contact in a workflow. Throws EngineError `VALIDATION_ERROR` as templates do. */
export interface Interpolation {
  text(source: string, field: string): string
  /** The value with every text in it filled in; keys stay unchanged. */
  texts(value: Json, field: string): Json
  /** As `texts`, but a text that is a single placeholder becomes its value, of any type. */
  values(value: Json, field: string): Json
}

/** Makes the interpolations of steps. */
export class Interpolations {
  readonly #log: LimitedLog

  constructor(
    private readonly rendering: Rendering,
    private readonly links: Links,
    log: Log,
  ) {
    this.#log = new LimitedLog(log, MOST_PER_MINUTE)
  }

  of(contact: Contact, execution: Execution): Interpolation {
    const variables = { ...contact.data }
    const troubles = new FilterTroubles((trouble) => this.#note(execution, trouble))
    const mailVariables = mailVariablesOf(contact, execution, this.links, troubles)
    let left = MAX_RENDER_MS
    const text = (source: string, field: string) => {
      if (!source.includes('{')) return source
      const template = this.rendering.compile(source, 'text', field)
      const begun = processorTime()
      try {
        return template.render(variables, mailVariables, Math.max(left, 1))
      } finally {
        left -= processorTime() - begun
      }
    }
    const values = (source: string, field: string): Json => {
      const [root, ...path] = ALONE.exec(source)?.[1]?.split('.') ?? []
      if (root === undefined) return text(source, field)
      return path.reduce<Json | undefined>(ownValue, lookupOf(root)(variables, mailVariables)) ?? ''
    }
    return {
      text,
      texts: (value, field) => filled(value, (source) => text(source, field)),
      values: (value, field) => filled(value, (source) => values(source, field)),
    }
  }

  /** The value is the contact's and stays out of the log. */
  #note({ id, projectId, workflowId }: Execution, { field, filter, reason }: FilterTrouble): void {
    const fields = { execution: id, workflow: workflowId, project: projectId, field, filter, reason }
    this.#log.warn(projectId, 'a filter could not do its work in a step', fields)
  }
}

/**
 * The variables of a mail to the contact, as stored with it: its data, overridden by the context, the event, and its
 * current subscription.
 */
export function recipientVariables(contact: Contact, { event, context }: Execution): JsonObject {
  return { ...contact.data, ...context, ...(isEmpty(event) ? {} : { event }), subscribed: contact.subscribed }
}

function mailVariablesOf(
  contact: Contact,
  { event, context }: Execution,
  links: Links,
  troubles: FilterTroubles,
): MailVariables {
  const { id, projectId, email, subscribed } = contact
  let urls: ContactUrls | undefined
  const pages = () => {
    urls ??= links.ofContact({ projectId, contactId: id })
    return urls
  }
  return {
    id,
    email,
    subscribed,
    context,
    troubles,
    ...(isEmpty(event) ? {} : { event }),
    get unsubscribeUrl() {
      return pages()?.unsubscribeUrl
    },
    get subscribeUrl() {
      return pages()?.subscribeUrl
    },
    get manageUrl() {
      return pages()?.manageUrl
    },
  }
}

function filled(value: Json, fill: (source: string) => Json): Json {
  if (typeof value === 'string') return fill(value)
  if (Array.isArray(value)) return value.map((each) => filled(each, fill))
  if (!isJsonObject(value)) return value
  return jsonObject(Object.entries(value).map(([key, each]) => [key, filled(each, fill)]))
}

function isEmpty(object: JsonObject): boolean {
  return Object.keys(object).length === 0
}
