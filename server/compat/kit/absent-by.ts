import type { AbsentEndpoint } from '../../../core/ports/foreign-api.ts'

/** An endpoint and the methods of the package that call it. */
type Listed = readonly [method: AbsentEndpoint['method'], path: string, ...methods: readonly string[]]

/** Endpoints that are not here, listed by the reason. */
export function absentBy(
  lists: readonly (readonly [reason: string, ...endpoints: readonly Listed[]])[],
): readonly AbsentEndpoint[] {
  return lists.flatMap(([reason, ...endpoints]) =>
    endpoints.map(([method, path, ...methods]) => ({ method, path, methods, reason })),
  )
}
