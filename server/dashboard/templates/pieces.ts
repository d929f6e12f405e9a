import type { Api, components } from '../api/client.ts'

export type Noun = 'snippets' | 'layouts'
export type Piece = components['schemas']['Snippet']
export type ListedPiece = components['schemas']['ListedSnippet']
export interface PieceInput {
  readonly name: string
  readonly title?: string
  readonly body: string
  readonly design: Record<string, unknown> | null
  readonly description: string | null
}

/** The name that people read. */
export function calledOf({ title, name }: { readonly title?: string; readonly name: string }): string {
  return title ?? name
}

type PieceChange = Partial<PieceInput> & { readonly version: number; readonly rename?: true }

type Query = Readonly<Record<string, string>>

/** The endpoints of both: a layout has the fields of a snippet. */
export const PIECES = {
  snippets: {
    list: (api: Api, query: Query, signal: AbortSignal) => api.GET('/snippets', { params: { query }, signal }),
    get: (api: Api, id: string, signal?: AbortSignal) =>
      api.GET('/snippets/{id}', { params: { path: { id } }, signal }),
    make: (api: Api, body: PieceInput) => api.POST('/snippets', { body }),
    change: (api: Api, id: string, body: PieceChange) =>
      api.PATCH('/snippets/{id}', { params: { path: { id } }, body }),
    remove: (api: Api, id: string) => api.DELETE('/snippets/{id}', { params: { path: { id } } }),
    usage: (api: Api, id: string, signal: AbortSignal) =>
      api.GET('/snippets/{id}/usage', { params: { path: { id } }, signal }),
  },
  layouts: {
    list: (api: Api, query: Query, signal: AbortSignal) => api.GET('/layouts', { params: { query }, signal }),
    get: (api: Api, id: string, signal?: AbortSignal) => api.GET('/layouts/{id}', { params: { path: { id } }, signal }),
    make: (api: Api, { title: _, ...body }: PieceInput) => api.POST('/layouts', { body }),
    // only snippets are called by their names
    change: (api: Api, id: string, { rename: _, title: _title, ...body }: PieceChange) =>
      api.PATCH('/layouts/{id}', { params: { path: { id } }, body }),
    remove: (api: Api, id: string) => api.DELETE('/layouts/{id}', { params: { path: { id } } }),
    usage: (api: Api, id: string, signal: AbortSignal) =>
      api.GET('/layouts/{id}/usage', { params: { path: { id } }, signal }),
  },
} as const
