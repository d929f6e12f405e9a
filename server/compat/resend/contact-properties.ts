import { EngineError } from '../../../core/errors.ts'
import type { ForeignEndpoint, OurApi } from '../../../core/ports/foreign-api.ts'
import { typedApi } from '../kit/typed-api.ts'
import { wholeList } from './lists.ts'

/** Fields that are no properties at Resend: each contact has them. */
const OWN = ['firstName', 'lastName']
const DIFFERS =
  'the fields that contacts have; the id is the key; there is no fallback, which a placeholder has itself, and no time'

/** `resend.contactProperties`. */
export const contactProperties: readonly ForeignEndpoint[] = [
  {
    method: 'GET',
    path: '/contact-properties',
    methods: ['contactProperties.list'],
    difference: DIFFERS,
    async answer({ query }, ours) {
      return wholeList(query, await properties(ours), (property) => property)
    },
  },
  {
    method: 'GET',
    path: '/contact-properties/:id',
    methods: ['contactProperties.get'],
    difference: DIFFERS,
    async answer({ params }, ours) {
      const property = (await properties(ours)).find(({ id }) => id === params.id)
      if (property === undefined) throw new EngineError('RESOURCE_NOT_FOUND', `No contact has a field ${params.id}.`)
      return { status: 200, body: { object: 'contact_property', ...property } }
    },
  },
]

async function properties(ours: OurApi) {
  const { fields } = await typedApi(ours).call('listContactFields')
  return fields.flatMap(({ field, type }) => {
    const key = field.startsWith('data.') ? field.slice('data.'.length) : undefined
    if (key === undefined || OWN.includes(key)) return []
    return { id: key, key, type: type === 'number' ? 'number' : 'string', fallback_value: null, created_at: null }
  })
}
