import type { Engine } from '../core/engine.ts'
import type { ApiRequest } from './api-request.ts'
import type { PublicRequest } from './public-request.ts'

/** What a request is answered with: a status, a body that becomes JSON, and further header fields. */
export interface Reply {
  readonly status: number
  /** Dates in it become ISO 8601; undefined is no body at all. */
  readonly body?: unknown
  /** A body that is sent a piece at a time as it is read, in place of `body`; `headers` say what it is. */
  readonly stream?: AsyncIterable<string>
  /** A page, a picture: sent as it is in place of `body`; `headers` say what it is. */
  readonly raw?: string | Uint8Array<ArrayBuffer>
  readonly headers?: Readonly<Record<string, string>>
}

interface AnyRoute {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** The path with its parameters: `/contacts/:id`. A GET answers HEAD too. */
  readonly path: string
  /** What it does, in a few words. */
  readonly summary: string
  /** The statuses of success. */
  readonly answers: readonly number[]
  /** True when machines may ask so often that its lines in the log are for debugging only. */
  readonly quiet?: boolean
}

/** An endpoint for callers with an API key. */
export interface KeyRoute extends AnyRoute {
  /** `secret`: secret keys only; `public`: public keys too, and from any web origin. */
  readonly access: 'secret' | 'public'
  /** Whether a JSON body (which may be left out) or a form with files is read; without it whatever comes as a body is left alone. */
  readonly body?: 'json' | 'json-or-nothing' | 'multipart'
  /** The largest body, in bytes; 1 MB unless stated. */
  readonly bodyLimit?: number
  /** `flat`: 400 and 401 have the flat error body. */
  readonly errors?: 'flat'
  handle(engine: Engine, request: ApiRequest): Promise<Reply>
}

/** An endpoint for everybody. */
export interface OpenRoute extends AnyRoute {
  readonly access: 'open'
  /** `page`: for people. Errors are HTML pages, and visits are counted by client address. */
  readonly errors?: 'page'
  /** Who calls proves it in a way of their own; those who do not are counted by client address. */
  readonly proves?: true
  handle(engine: Engine, request: PublicRequest): Promise<Reply>
}

export type Route = KeyRoute | OpenRoute

/** 200 with a body. */
export function ok(body: unknown): Reply {
  return { status: 200, body }
}

/** 201 with the record that was made. */
export function created(body: unknown): Reply {
  return { status: 201, body }
}

/** 202 with what is known of work that was accepted. */
export function accepted(body: unknown): Reply {
  return { status: 202, body }
}

/** 204: done, nothing to say. */
export const noContent: Reply = { status: 204 }
