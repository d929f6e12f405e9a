import type { JsonObject } from '../../values/json.ts'
import type { PageRequest } from '../../values/page.ts'
import type { ProjectId } from '../../values/project-id.ts'
import type { Template } from './templates.ts'

/** `engine`: no named author, such as a program that embeds the engine. */
export const AUTHOR_TYPES = ['user', 'key', 'engine'] as const

/** The author of something: the user's e-mail address or the key's name, as it was then. */
export interface Author {
  /** A person, a key, or the engine itself. */
  readonly authorType: (typeof AUTHOR_TYPES)[number]
  /** The id of the user or the key. */
  readonly authorId?: string
  /** The name of the person or of the key, as it was then. */
  readonly authorName: string
}

/** The written parts of a template: what a version keeps and restoring brings back. */
export type TemplateFields = Omit<Template, 'id' | 'projectId' | 'slug' | 'version' | 'createdAt' | 'updatedAt'>

/** A version of a template, without its fields. */
export interface ListedVersion extends Author {
  /** A UUID (version 7): those made later sort after those made before. */
  readonly id: string
  /** The project that it belongs to. */
  readonly projectId: ProjectId
  /** The template that it is a version of. */
  readonly templateId: string
  /** From 1 on, in the order of the changes. */
  readonly number: number
  /** The names of the fields that differ from the version before; of the first one, those it has. */
  readonly changed: readonly string[]
  /** The number of the earlier version that this one brought back. */
  readonly restoredFrom?: number
  /** When it was made, by the clock of the engine. */
  readonly createdAt: Date
}

/** A template as it was from one change to the next. */
export interface TemplateVersion extends ListedVersion {
  /** The template as it was then. */
  readonly fields: TemplateFields
}

/** Changes to a template that are not used for sending yet. A template has at most one draft. */
export interface TemplateDraft extends Author {
  /** The template that it may become. */
  readonly templateId: string
  /** The project that it belongs to. */
  readonly projectId: ProjectId
  /** The fields as they were typed; absent ones stay unchanged in the template. */
  readonly fields: JsonObject
  /** The version of the template it was begun from. */
  readonly version: number
  /** Changes each time the draft is written. */
  readonly revision: string
  /** When it last changed; at first, when it was made. */
  readonly updatedAt: Date
}

/** Keeps earlier versions of templates. */
export interface TemplateVersionRepository {
  /** Stores a version, unless there is one with this number already. */
  insert(version: TemplateVersion): Promise<void>
  find(projectId: ProjectId, templateId: string, number: number): Promise<TemplateVersion | undefined>
  /** Up to `limit + 1`, newest first. */
  page(projectId: ProjectId, templateId: string, page: PageRequest): Promise<readonly ListedVersion[]>
  count(projectId: ProjectId, templateId: string): Promise<number>
  /** Removes the versions up to and including this number. */
  removeUpTo(projectId: ProjectId, templateId: string, number: number): Promise<void>
}

/** Keeps drafts of templates. */
export interface TemplateDraftRepository {
  find(projectId: ProjectId, templateId: string): Promise<TemplateDraft | undefined>
  /** The drafts of the project whose fields have this text in them, as JSON writes it. */
  mentioning(projectId: ProjectId, text: string): Promise<readonly TemplateDraft[]>
  /** Stores the draft, replacing an earlier one. */
  put(draft: TemplateDraft): Promise<void>
  remove(projectId: ProjectId, templateId: string): Promise<void>
}
