import * as v from 'valibot'
import { EngineError } from '../../../core/errors.ts'
import type { ForeignEndpoint, OurApi } from '../../../core/ports/foreign-api.ts'
import { parse } from '../../../core/values/parse.ts'
import { typedApi } from '../kit/typed-api.ts'
import { wholeList } from './lists.ts'

const Event = v.object({
  event: v.string(),
  contact_id: v.nullish(v.string()),
  email: v.nullish(v.string()),
  payload: v.nullish(v.record(v.string(), v.unknown())),
})

const DIFFERS = 'the names of events that occurred; the id is the name; there is no schema, and no time'

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
  {
    method: 'GET',
    path: '/events',
    methods: ['events.list'],
    difference: DIFFERS,
    async answer({ query }, ours) {
      return wholeList(query, await known(ours), (event) => event)
    },
  },
  {
    method: 'GET',
    path: '/events/:id',
    methods: ['events.get'],
    difference: DIFFERS,
    async answer({ params }, ours) {
      const event = (await known(ours)).find(({ id }) => id === params.id)
      if (event === undefined) throw new EngineError('RESOURCE_NOT_FOUND', `There is no event ${params.id}.`)
      return { status: 200, body: { object: 'event', ...event } }
    },
  },
]

async function known(ours: OurApi) {
  const { eventNames } = await typedApi(ours).call('listEventNames')
  return eventNames.map((name) => ({ id: name, name, schema: null, created_at: null, updated_at: null }))
}
