import * as v from 'valibot'
import { invalidField } from '../../../core/errors.ts'
import type { ForeignEndpoint, ForeignPart, ForeignRequest } from '../../../core/ports/foreign-api.ts'
import type { Json } from '../../../core/values/json.ts'
import { parse } from '../../../core/values/parse.ts'
import { type Answer, typedApi } from '../kit/typed-api.ts'
import { pageOf } from './lists.ts'

const STATES = { waiting: 'queued', active: 'in_progress', completed: 'completed', failed: 'failed' } as const
const Column = v.object({ column: v.string(), type: v.nullish(v.picklist(['string', 'number', 'boolean'])) })
const Form = v.object({
  column_map: v.nullish(
    v.object({
      email: v.nullish(v.string()),
      first_name: v.nullish(v.string()),
      last_name: v.nullish(v.string()),
      unsubscribed: v.nullish(v.string()),
      properties: v.nullish(v.record(v.string(), Column)),
    }),
  ),
  on_conflict: v.nullish(v.picklist(['upsert', 'skip'])),
  segments: v.nullish(v.array(v.unknown())),
  topics: v.nullish(v.array(v.object({ id: v.string(), subscription: v.picklist(['opt_in', 'opt_out']) }))),
})
const Status = v.object({ status: v.optional(v.picklist(Object.values(STATES))) })

type Import = Answer<'getImport'>

/** `resend.contacts.imports`. */
export const contactImports: readonly ForeignEndpoint[] = [
  {
    method: 'POST',
    path: '/contacts/imports',
    methods: ['contacts.imports.create'],
    difference:
      'files of up to 5 MB; known contacts are changed, also without `onConflict`; neither into segments nor with several topics; a column for `unsubscribed` must have this name; who left here stays away',
    body: 'form',
    bodyLimit: 6 * 1024 * 1024,
    fields: { columns: 'column_map', topic: 'topics' },
    async answer(request, ours) {
      const { jobId } = await typedApi(ours).call('importContacts', { form: formOf(partsOf(request)) })
      return { status: 202, body: { object: 'contact_import', id: jobId } }
    },
  },
  {
    method: 'GET',
    path: '/contacts/imports',
    methods: ['contacts.imports.list'],
    answer({ query }, ours) {
      const { status } = parse(Status, Object.fromEntries(query))
      const read = (asked: Readonly<Record<string, string>>) => typedApi(ours).call('listImports', { query: asked })
      const keeps = ({ state }: Import) => status === undefined || STATES[state] === status
      return pageOf(query, { read, keeps }, shown)
    },
  },
  {
    method: 'GET',
    path: '/contacts/imports/:id',
    methods: ['contacts.imports.get'],
    async answer({ params: { id = '' } }, ours) {
      return { status: 200, body: shown(await typedApi(ours).call('getImport', { path: { jobId: id } })) }
    },
  },
]

function partsOf({ body }: ForeignRequest): readonly ForeignPart[] {
  return Array.isArray(body) ? (body as readonly ForeignPart[]) : []
}

/** The form as our own import takes it. Throws EngineError `VALIDATION_ERROR`. */
function formOf(parts: readonly ForeignPart[]): Record<string, string | Uint8Array> {
  const file = parts.find(({ name }) => name === 'file')?.value
  if (file === undefined) throw invalidField('file', 'required', 'is required')
  const given = parts.flatMap(({ name, value }) => (typeof value === 'string' ? [[name, jsonOf(name, value)]] : []))
  const { column_map: map, on_conflict, segments, topics } = parse(Form, Object.fromEntries(given))
  if (on_conflict === 'skip') throw invalidField('on_conflict', 'custom', 'must be `upsert` here')
  if (segments?.length) throw invalidField('segments', 'custom', 'cannot be set here: add the contacts afterwards')
  const [topic, ...others] = topics ?? []
  if (others.length > 0 || topic?.subscription === 'opt_out') {
    throw invalidField('topics', 'custom', 'may have one topic here, with `opt_in`')
  }
  const columns = map ? JSON.stringify(columnsOf(map)) : undefined
  return { file, ...(columns === undefined ? {} : { columns }), ...(topic === undefined ? {} : { topic: topic.id }) }
}

function columnsOf(map: NonNullable<v.InferOutput<typeof Form>['column_map']>): Record<string, Json> {
  const { email, first_name: first, last_name: last, unsubscribed, properties } = map
  if (unsubscribed && unsubscribed !== 'unsubscribed') {
    throw invalidField('column_map.unsubscribed', 'custom', 'must be a column of the name `unsubscribed` here')
  }
  const named = Object.entries(properties ?? {}).map(([key, { column, type }]) => [column, type ? { key, type } : key])
  return {
    ...(email ? { [email]: 'email' } : {}),
    ...(first ? { [first]: 'firstName' } : {}),
    ...(last ? { [last]: 'lastName' } : {}),
    ...Object.fromEntries(named),
  }
}

/** A field of the form is a word, or JSON. */
function jsonOf(name: string, text: string): Json {
  if (name === 'on_conflict') return text
  try {
    return JSON.parse(text)
  } catch {
    throw invalidField(name, 'invalid_type', 'must be JSON')
  }
}

function shown({ id, state, result, createdAt, updatedAt }: Import) {
  return {
    object: 'contact_import',
    id,
    status: STATES[state],
    created_at: createdAt,
    completed_at: state === 'completed' || state === 'failed' ? updatedAt : null,
    counts: {
      total: result?.totalRows ?? 0,
      created: result?.createdCount ?? 0,
      updated: result?.updatedCount ?? 0,
      skipped: 0,
      failed: result?.failureCount ?? 0,
    },
  }
}
