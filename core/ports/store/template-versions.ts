import type { JsonObject } from '../../values/json.ts'
import type { PageRequest } from '../../values/page.ts'
import type { ProjectId } from '../../values/project-id.ts'
import type { Template } from './templates.ts'

/** `engine`: nobody who was named, such as a program that embeds the engine. */
export const AUTHOR_TYPES = ['user', 'key', 'engine'] as const

/** Who wrote something: the user's e-mail address or the key's name, as it was then. */
export interface Author {
  readonly authorType: (typeof AUTHOR_TYPES)[number]
  /** The id of the user or the key. */
  readonly authorId?: string
  readonly authorName: string
}

/** All that is written in a template: what a version keeps, and a restored one has again. */
export type TemplateFields = Omit<Template, 'id' | 'projectId' | 'slug' | 'version' | 'createdAt' | 'updatedAt'>

/** A version of a template, without what it says. */
export interface ListedVersion extends Author {
  readonly id: string
  readonly projectId: ProjectId
  readonly templateId: string
  /** From 1 on, in the order of the changes. */
  readonly number: number
  /** The names of the fields that differ from the version before; of the first one, those it has. */
  readonly changed: readonly string[]
  /** The number of the earlier version that this one brought back. */
  readonly restoredFrom?: number
  readonly createdAt: Date
}

/** A template as it was from one change to the next. */
export interface TemplateVersion extends ListedVersion {
  readonly fields: TemplateFields
}

/** Changes of a template that nobody is sent yet. A template has one draft at most. */
export interface TemplateDraft extends Author {
  readonly templateId: string
  readonly projectId: ProjectId
  /** The fields as they were typed; those that are absent stay as they are in the template. */
  readonly fields: JsonObject
  /** The version of the template it was begun from. */
  readonly version: number
  /** Another one each time the draft is written. */
  readonly revision: string
  readonly updatedAt: Date
}

/** Keeps what templates were. */
export interface TemplateVersionRepository {
  /** Stores a version; one with this number that is there already stays. */
  insert(version: TemplateVersion): Promise<void>
  find(projectId: ProjectId, templateId: string, number: number): Promise<TemplateVersion | undefined>
  /** Up to `limit + 1`, newest first. */
  page(projectId: ProjectId, templateId: string, page: PageRequest): Promise<readonly ListedVersion[]>
  count(projectId: ProjectId, templateId: string): Promise<number>
  /** Removes those with a number up to this one. */
  removeUpTo(projectId: ProjectId, templateId: string, number: number): Promise<void>
}

/** Keeps drafts of templates. */
export interface TemplateDraftRepository {
  find(projectId: ProjectId, templateId: string): Promise<TemplateDraft | undefined>
  /** Stores the draft in place of an earlier one. */
  put(draft: TemplateDraft): Promise<void>
  remove(projectId: ProjectId, templateId: string): Promise<void>
}
