import { STATUS_CODES } from 'node:http'
import * as v from 'valibot'
import { FIELD_CODES } from '../../core/errors.ts'
import { named } from '../../core/values/described.ts'
import { Count, many, Time } from '../answers/parts.ts'
import { codesOf, STATUSES_OF_ERRORS } from '../http/errors.ts'
import type { Route } from '../http/route.ts'

const FieldProblem = named(
  'FieldProblem',
  v.object({ field: v.string(), message: v.string(), code: v.picklist(FIELD_CODES) }),
)

const Flat = named(
  'FlatError',
  v.object({ code: v.picklist([400, 401]), error: v.string(), message: v.string(), time: v.number() }),
)

/** The error body of a status, with the codes it may have. */
function envelopeOf(status: number): v.GenericSchema {
  const ofConflict: v.ObjectEntries = status === 409 ? { currentVersion: v.optional(Count) } : {}
  return named(
    `Error${status}`,
    v.object({
      success: v.literal(false),
      error: v.object({
        code: v.picklist(codesOf(status)),
        message: v.string(),
        statusCode: v.literal(status),
        requestId: v.string(),
        errors: v.optional(many(FieldProblem)),
        suggestion: v.optional(v.string()),
        ...ofConflict,
      }),
      timestamp: Time,
      message: v.string(),
    }),
  )
}

/** The failure, in a sentence; otherwise the phrase of HTTP. */
const DESCRIPTIONS: Readonly<Record<number, string>> = {
  400: 'The request is malformed.',
  401: 'The key is missing or wrong.',
  403: 'The key may not do this, or the project is disabled.',
  404: 'It does not exist, or belongs to another project.',
  406: 'It was used already.',
  409: 'The state of something else does not allow it.',
  413: 'The body is too large.',
  415: 'The body has the wrong type.',
  422: 'Fields were refused; `errors` names each.',
  429: 'Too many requests; `Retry-After` says when to come back.',
  500: 'An error of the service; it is logged under the request id.',
  503: 'The service is temporarily unavailable; try again later.',
}

/** A response for an error. */
export interface Failure {
  readonly name: string
  readonly status: number
  readonly description: string
  readonly schema: v.GenericSchema
  /** People get a page with this status. */
  readonly isAlsoPage?: true
}

const FLAT: Readonly<Record<number, Failure>> = Object.fromEntries(
  [400, 401].map((status) => [status, { ...about(status), name: `Flat${status}`, schema: Flat }]),
)

const ENVELOPES: Readonly<Record<number, Failure>> = Object.fromEntries(
  STATUSES_OF_ERRORS.map((status) => [
    status,
    { ...about(status), name: `Failure${status}`, schema: envelopeOf(status) },
  ]),
)

const PAGES: Readonly<Record<number, Failure>> = Object.fromEntries(
  Object.values(ENVELOPES).map((failure) => [
    failure.status,
    { ...failure, name: `${failure.name}OrPage`, isAlsoPage: true } as const,
  ]),
)

function about(status: number) {
  return { status, description: DESCRIPTIONS[status] ?? STATUS_CODES[status] ?? '' }
}

/** The errors a route may answer with. Pages answer with pages. */
export function failuresOf(route: Route): readonly Failure[] {
  if (route.errors === 'page') return []
  const { takes } = route
  const readsBody = takes?.body !== undefined
  const isKeyed = route.access !== 'open'
  const hasPlace = route.path.includes(':')
  // with a session the project is named, or not, and may be another user's
  const isOfProject = isKeyed && route.access !== 'user'
  const statuses = [
    400,
    ...(isKeyed ? [401, 403] : []),
    ...(hasPlace || readsBody || isOfProject ? [404] : []),
    ...(isKeyed && route.method !== 'GET' ? [409] : []),
    ...(readsBody ? [413, 415] : []),
    ...(readsBody || hasPlace || isOfProject || takes?.query ? [422] : []),
    ...[429, 500, 503],
    ...(route.fails ?? []),
  ]
  const own = route.errors === 'flat' ? { ...ENVELOPES, ...FLAT } : route.errors === 'page-or-json' ? PAGES : ENVELOPES
  return statuses.toSorted((one, other) => one - other).flatMap((status) => own[status] ?? [])
}
