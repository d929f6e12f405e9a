import { isId } from './id.ts'

declare const branded: unique symbol

/** The id of a project. Only this room makes one, so that no other id can be passed in its place. */
export type ProjectId = string & { readonly [branded]: 'ProjectId' }

/** Takes text as a project's id; undefined when it has not an id's form. Whether the project exists is another question. */
export function asProjectId(text: string): ProjectId | undefined {
  return isId(text) ? (text as ProjectId) : undefined
}
