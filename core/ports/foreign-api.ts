import type { Json, JsonObject } from '../values/json.ts'
import type { Contact } from './store/contacts.ts'
import type { Email } from './store/emails.ts'

/**
 * The HTTP API of another mail service, translated into ours, so that its clients send through this server once their
 * address and key are changed. It stands at `/compat/<name>` and says only how requests, answers and errors are written
 * there; keys, limits, idempotency, the audit log and all rules of mail are ours, since each of its endpoints calls ours.
 */
export interface ForeignApi {
  /** The name of the service, as people know it: `Resend`. */
  readonly service: string
  /** True: tokens that members gave to clients by OAuth open it, and 401 says where clients ask for one (RFC 9728). */
  readonly takesTokens?: true
  /** The endpoints that work here. Of two that fit a path, the first counts. */
  readonly endpoints: readonly ForeignEndpoint[]
  /** Endpoints of the service that this server has not. All that neither list names are answered alike. */
  readonly absent: readonly AbsentEndpoint[]
  /** How its webhooks write events; absent: it has none here. */
  readonly events?: ForeignEvents
  /** The API key in the header fields of a request, by lower-case names; undefined when there is none. */
  keyOf(headers: Readonly<Record<string, string>>): string | undefined
  /** An error as the service writes it. It must not throw. */
  refusal(problem: ForeignProblem): ForeignAnswer
}

/** A foreign API under the name it has in its path: `/compat/<name>`. */
export interface NamedForeignApi {
  /** The end of its path. */
  readonly name: string
  /** Its translation. */
  readonly api: ForeignApi
}

/** The translations, for the container. */
export const ForeignApis = Symbol('ForeignApis')

/**
 * The form in which a service's webhooks write events. An endpoint whose `dialect` is the name of the API gets its events
 * in this form, signed as Standard Webhooks describes and, where the service has a way of its own, in that way, too.
 */
export interface ForeignEvents {
  /** Our names of the events that it can write. An endpoint of this dialect subscribes to no others. */
  readonly names: readonly string[]
  /** The body of the request; undefined: the service has no such event, and nothing is sent. It must not throw. */
  write(event: ForeignEvent): Json | undefined
  /** The service's own signature of a try of a request. It must not throw. */
  sign?(notice: ForeignNotice): ForeignSignature
}

/** A try of a request to a webhook. */
export interface ForeignNotice {
  /** The `webhook-id`, which is the same on every try. */
  readonly id: string
  /** The endpoint that gets it. */
  readonly endpointId: string
  /** The body as it was written. */
  readonly body: string
  /** When the try begins. */
  readonly at: Date
  /** The secrets of the project that are valid now, the newest first. There is at least one. */
  readonly secrets: readonly [string, ...string[]]
}

/** The signature of a request, which is added to it. */
export interface ForeignSignature {
  /** Further header fields, names in lower case. */
  readonly headers?: Readonly<Record<string, string>>
  /** The body with the signature in it; absent: it stays as it was written. */
  readonly body?: string
}

/** An event to be written for a webhook. */
export interface ForeignEvent {
  /** Its id, which no other event has. */
  readonly id: string
  /** Our name of it: `email.open`. */
  readonly name: string
  /** When it happened. */
  readonly at: Date
  /** Of what happened to a mail. */
  readonly emailId?: string | undefined
  /** The event's own data, as docs/events.md lists them. */
  readonly data: JsonObject
  /** The contact as it is now; absent when it concerns none. */
  readonly contact?: Contact | undefined
  /** The mail as it is now; absent when it concerns none. */
  readonly mail?: Email | undefined
}

/** Names of an endpoint, by which the documentation lists it. */
interface Listed {
  /** The method of the request. */
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Its path below `/compat/<name>`, with its parameters: `/emails/:id`. */
  readonly path: string
  /** The methods of the service's own package that call it: `emails.get`. */
  readonly methods: readonly string[]
}

/** An endpoint of the service that works here. */
export interface ForeignEndpoint extends Listed {
  /** How it differs from the service's, in a sentence or two; absent: in nothing that a client would notice. */
  readonly difference?: string
  /**
   * Whether it reads a body: JSON of any form, the fields of a form (`application/x-www-form-urlencoded` and
   * `multipart/form-data`), JSON or a form, or JSON where nothing may come. Absent: a body is ignored.
   */
  readonly body?: 'json' | 'form' | 'json-or-form' | 'json-or-nothing'
  /** The largest body, in bytes. Default: a megabyte. */
  readonly bodyLimit?: number
  /**
   * True: the endpoint of ours that it calls answers once for each `Idempotency-Key`, in the commit of its work, as those
   * that send do. Default: the answer of a POST is kept beside it.
   */
  readonly keepsKey?: true
  /** True: the answer has a secret, and is not kept beside an `Idempotency-Key`. */
  readonly secretAnswer?: true
  /** The service's names of our fields, for errors: `{ body: 'html', scheduledFor: 'scheduled_at' }`. */
  readonly fields?: Readonly<Record<string, string>>
  /**
   * Answers a request by calls to our API. What a call throws may be left alone: it becomes the error of the service.
   * For input that is wrong, throw `EngineError('VALIDATION_ERROR', …, { fields })`.
   */
  answer(request: ForeignRequest, ours: OurApi): Promise<ForeignAnswer>
}

/** An endpoint of the service that there is not here. */
export interface AbsentEndpoint extends Listed {
  /** Why, in a sentence, and what to do instead. */
  readonly reason: string
}

/** A request to a foreign API. Nothing in it is checked but the key. */
export interface ForeignRequest {
  /** The parameters of the path, decoded. */
  readonly params: Readonly<Record<string, string>>
  /** The query. */
  readonly query: URLSearchParams
  /** By lower-case name; repeated fields are joined by commas. */
  readonly headers: Readonly<Record<string, string>>
  /** The JSON; of a form its parts in their order; undefined when there is none. */
  readonly body: Json | readonly ForeignPart[] | undefined
  /** The name of this API in its path. */
  readonly api: string
  /** The project of the key. */
  readonly project: { readonly id: string; readonly name: string }
  /** The rights of the key: its scopes. */
  readonly scopes: readonly string[]
  /** The time by the engine's clock. */
  readonly now: Date
  /** The address of this API from outside, such as `https://mail.example.com/compat/resend`. */
  readonly url: string
}

/** A part of a form. */
export interface ForeignPart {
  /** The name of the field. */
  readonly name: string
  /** A text field, or the bytes of a file. */
  readonly value: string | Uint8Array
  /** Of a file. */
  readonly filename?: string
  /** Of a file, such as `image/png`. */
  readonly contentType?: string
}

/** An answer to a client of the service. */
export interface ForeignAnswer {
  /** The HTTP status. */
  readonly status: number
  /** Becomes JSON. Absent: no body. */
  readonly body?: unknown
  /** Further header fields. */
  readonly headers?: Readonly<Record<string, string>>
}

/** An error of ours, to be written as the service writes it. */
export interface ForeignProblem {
  /** The HTTP status we would answer with. */
  readonly status: number
  /** Our code, such as `VALIDATION_ERROR`; docs/endpoints.md lists them. */
  readonly code: string
  /** A sentence for people. */
  readonly message: string
  /** The refused fields by the service's names, each with what is wrong about it. */
  readonly fields: readonly { readonly field: string; readonly code: string; readonly message: string }[]
  /** How it can be mended. */
  readonly suggestion?: string
  /** After how many seconds it may be tried again. */
  readonly retryAfter?: number
  /** The id of the request in our log. */
  readonly requestId: string
}

/** Our own API, called for the holder of the key. */
export interface OurApi {
  /**
   * Calls an endpoint of ours by its operation (`sendMail`; the OpenAPI document names all) and answers its JSON. Throws
   * the EngineError of that endpoint, and `FORBIDDEN` when the key may not do this.
   */
  call(operation: string, input?: OurInput): Promise<JsonObject>
}

/** The input of an endpoint of ours. */
export interface OurInput {
  /** The parameters of its path. */
  readonly path?: Readonly<Record<string, string>>
  /** Its query. */
  readonly query?: Readonly<Record<string, string>>
  /** Its JSON body. */
  readonly body?: JsonObject
  /** The fields of its form, instead of a body. */
  readonly form?: Readonly<Record<string, string | Uint8Array>>
  /**
   * The input that a repeated `Idempotency-Key` is compared by, where `body` may differ although the request is the same,
   * such as with times relative to now.
   */
  readonly meaning?: Json
  /** Its own `Idempotency-Key`, unchecked: what it answers then is kept, as it is for a request with this header field. */
  readonly idempotencyKey?: string
}
