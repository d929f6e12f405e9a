import { isId } from './id.ts'

declare const branded: unique symbol

/** The id of a project. Only this file makes one, so that no other id can be passed in its place. */
export type ProjectId = string & { readonly [branded]: 'ProjectId' }

/** Takes text as a project's id; undefined when it does not have the form of an id. The project may not exist. */
export function asProjectId(text: string): ProjectId | undefined {
  return isId(text) ? (text as ProjectId) : undefined
}
