import type { OurApi } from '../../../core/ports/foreign-api.ts'
import type { JsonObject } from '../../../core/values/json.ts'
import type { operations } from '../../client/schema.ts'

/** The name of an endpoint of ours. */
type Operation = keyof operations

/** The JSON that an endpoint answers when it succeeds. */
export type Answer<Name extends Operation> = operations[Name] extends { responses: infer Responses }
  ? JsonOf<Responses[Extract<keyof Responses, 200 | 201 | 202>]>
  : never

type JsonOf<Response> = Response extends { content: { 'application/json': infer Body } } ? Body : never

/** The JSON that an endpoint of ours takes. */
export type BodyOf<Name extends Operation> = operations[Name] extends {
  requestBody?: { content: { 'application/json': infer Body } }
}
  ? Body
  : JsonObject

/** The input of an endpoint of ours, with its own type of body. */
interface TypedInput<Name extends Operation> {
  readonly path?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly body?: BodyOf<Name>
  readonly form?: Readonly<Record<string, string | Uint8Array>>
  readonly meaning?: Parameters<OurApi['call']>[1] extends infer Input ? MeaningOf<Input> : never
}

type MeaningOf<Input> = Input extends { meaning?: infer Meaning } ? Meaning : never

/** Our API with the types of the OpenAPI document. */
export interface TypedApi {
  call<Name extends Operation>(operation: Name, input?: TypedInput<Name>): Promise<Answer<Name>>
}

/** The same API, typed: its document is made from the schemas that it reads and answers by. */
export function typedApi(ours: OurApi): TypedApi {
  return ours as TypedApi
}
