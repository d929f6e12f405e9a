import { changedData, readData } from '../../contacts/contact.ts'
import { subscriptionEvent } from '../../contacts/subscription-event.ts'
import type { Contact } from '../../ports/store/contacts.ts'
import type { NewId } from '../../values/id.ts'
import { isJsonObject, unstorable } from '../../values/json.ts'
import { refused } from '../../values/parse.ts'
import type { Interpolations } from './interpolation.ts'
import type { Batch, StepContext, StepResult, StepRunner } from './step-runner.ts'

/** UPDATE_CONTACT: `{ data?, subscribed? }`, with the rules of `PATCH /contacts/{id}`. */
export class UpdateContact implements StepRunner {
  readonly #interpolations: Interpolations
  readonly #newId: NewId

  constructor(interpolations: Interpolations, newId: NewId) {
    this.#interpolations = interpolations
    this.#newId = newId
  }

  run({ step: { config }, execution }: StepContext, contact: Contact, { contacts, events, now }: Batch): StepResult {
    const given = isJsonObject(config.data) ? config.data : {}
    const written = this.#interpolations.of(contact, execution).values(given, 'data')
    const problem = unstorable(written)
    if (problem) throw refused([problem])
    const change = readData(isJsonObject(written) ? written : {})
    const data = changedData(contact.email, contact.data, change)
    const subscribed = typeof config.subscribed === 'boolean' ? config.subscribed : contact.subscribed
    const updated = [...change.set.keys(), ...change.unset]
    if (data === contact.data && subscribed === contact.subscribed) return { outcome: 'done', output: { updated } }
    const changed = { ...contact, data, subscribed, updatedAt: now }
    contacts.put(changed)
    if (subscribed !== contact.subscribed) events.push(subscriptionEvent(this.#newId, changed, 'workflow', now))
    return { outcome: 'done', output: { updated, subscribed } }
  }
}
