import * as v from 'valibot'
import { changedData, readData, SubmittedData } from '../../contacts/contact.ts'
import { withSubscription } from '../../contacts/left-contacts.ts'
import { subscriptionEvent } from '../../contacts/subscription-event.ts'
import { isJsonObject, unstorable } from '../../values/json.ts'
import { refused } from '../../values/parse.ts'
import { defineStep, textsIn } from './step-definition.ts'

const Config = v.object({
  /** Fields to store, merged key by key, with placeholders in their texts; null deletes a key. */
  data: v.nullish(SubmittedData),
  /** Whether the contact is subscribed from then on. */
  subscribed: v.nullish(v.boolean()),
})

/** UPDATE_CONTACT: changes the contact, with the rules of `PATCH /contacts/{id}`. */
export const updateContact = defineStep({
  type: 'UPDATE_CONTACT',
  name: 'Update contact',
  Config,
  branches: 'one',
  texts: ({ data }) => textsIn(data ?? {}, 'config.data'),
  uses: ({ data }) => Object.keys(data ?? {}).map((key) => ({ kind: 'key', key })),
  run: ({ config, contact, fill, now, newId }) => {
    const written = fill().values(config.data ?? {}, 'data')
    const problem = unstorable(written)
    if (problem) throw refused([problem])
    const change = readData(isJsonObject(written) ? written : {})
    const data = changedData(contact.email, contact.data, change)
    const subscribed = config.subscribed ?? contact.subscribed
    const updated = [...change.set.keys(), ...change.unset]
    if (data === contact.data && subscribed === contact.subscribed) return { outcome: 'done', output: { updated } }
    const changed = { ...contact, data, updatedAt: now }
    if (subscribed === contact.subscribed) {
      return { outcome: 'done', output: { updated, subscribed }, writes: { contact: changed } }
    }
    const flipped = withSubscription(changed, subscribed, 'workflow')
    const event = subscriptionEvent(newId, flipped, 'workflow')
    return { outcome: 'done', output: { updated, subscribed }, writes: { contact: flipped, event } }
  },
})
