import * as v from 'valibot'
import type { ForeignEndpoint } from '../../../core/ports/foreign-api.ts'
import { parse } from '../../../core/values/parse.ts'
import { typedApi } from '../kit/typed-api.ts'

const Event = v.object({
  event: v.string(),
  contact_id: v.nullish(v.string()),
  email: v.nullish(v.string()),
  payload: v.nullish(v.record(v.string(), v.unknown())),
})

/** `resend.events`. */
export const events: readonly ForeignEndpoint[] = [
  {
    method: 'POST',
    path: '/events/send',
    methods: ['events.send'],
    difference: 'an unknown address becomes a contact; the event starts workflows',
    body: 'json',
    fields: { name: 'event', contactId: 'contact_id', data: 'payload' },
    async answer({ body }, ours) {
      const { event, contact_id, email, payload } = parse(Event, body)
      await typedApi(ours).call('trackContactEvent', {
        body: {
          name: event,
          ...(contact_id == null ? {} : { contactId: contact_id }),
          ...(email == null ? {} : { email }),
          ...(payload == null ? {} : { data: payload }),
        },
      })
      return { status: 202, body: { object: 'event', event } }
    },
  },
]
