import { authorOf } from '../../core/projects/caller.ts'
import { ListVersions, PublishDraft, WriteDraft } from '../../core/templates/template.ts'
import { untrusted } from '../../core/values/input.ts'
import { type KeyRoute, noContent, ok } from '../http/route.ts'
import { cursorList } from '../schemas/parts.ts'
import { DraftRecord, ListedVersionRecord, TemplateRecord, VersionRecord } from '../schemas/templates.ts'
import { listOnWire, templateOnWire } from '../wire/records.ts'
import { draftOnWire, versionInList, versionOnWire } from '../wire/templates.ts'

/** Routes for earlier versions of a template, and the draft of the next. */
export const templateVersionRoutes: readonly KeyRoute[] = [
  {
    method: 'PUT',
    path: '/templates/:id/draft',
    operation: 'saveTemplateDraft',
    // every few seconds while a user writes; publishing is kept
    audit: 'never',
    summary: "Save a template's draft",
    description:
      "Replaces the earlier draft; nothing of it is sent until it is published. Unfinished text is stored as it is. 409 if the draft's current `revision` is another.",
    access: 'secret',
    body: 'json',
    takes: { body: WriteDraft },
    gives: { 200: DraftRecord },
    examples: [{ body: { subject: 'Welcome aboard, {{ name', version: 1, revision: null } }],
    async handle(engine, request) {
      const { caller, body } = request
      const draft = await engine.templates.saveDraft(caller.project, request.param('id'), body, authorOf(caller))
      return ok(draftOnWire(draft))
    },
  },
  {
    method: 'DELETE',
    path: '/templates/:id/draft',
    operation: 'discardTemplateDraft',
    summary: "Discard a template's draft",
    description: 'The template is not changed. Without a draft, nothing happens.',
    access: 'secret',
    gives: { 204: null },
    async handle(engine, request) {
      await engine.templates.discardDraft(request.caller.project, request.param('id'))
      return noContent
    },
  },
  {
    method: 'POST',
    path: '/templates/:id/publish',
    operation: 'publishTemplate',
    summary: "Publish a template's draft",
    description:
      'Makes the draft the template, as a new version, which is sent from now on. The draft is checked as `PATCH` checks. 409 if the template was changed since the draft was started; `version` with the current number overwrites that change.',
    access: 'secret',
    body: 'json-or-nothing',
    takes: { body: PublishDraft },
    gives: { 200: TemplateRecord },
    async handle(engine, request) {
      const { caller, body } = request
      const published = await engine.templates.publish(caller.project, request.param('id'), body, authorOf(caller))
      return ok(templateOnWire(published))
    },
  },
  {
    method: 'GET',
    path: '/templates/:id/versions',
    operation: 'listTemplateVersions',
    summary: "List a template's versions",
    description: 'Newest first: when it changed, who changed it, and which fields. The last 100 versions are kept.',
    access: 'secret',
    takes: { query: ListVersions },
    gives: { 200: cursorList(ListedVersionRecord) },
    async handle(engine, request) {
      const { caller, query } = request
      return ok(listOnWire(await engine.templates.versions(caller.project, request.param('id'), query), versionInList))
    },
  },
  {
    method: 'GET',
    path: '/templates/:id/versions/:version',
    operation: 'getTemplateVersion',
    summary: 'Get a version of a template',
    description: 'Shows all its fields.',
    access: 'secret',
    gives: { 200: VersionRecord },
    async handle(engine, request) {
      const { project } = request.caller
      const found = await engine.templates.version(project, request.param('id'), untrusted(request.param('version')))
      return ok(versionOnWire(found))
    },
  },
  {
    method: 'POST',
    path: '/templates/:id/versions/:version/restore',
    operation: 'restoreTemplateVersion',
    summary: 'Restore a version of a template',
    description:
      'Makes the template what it was then, at once and as a new version. Its slug and its draft are not changed.',
    access: 'secret',
    gives: { 200: TemplateRecord },
    async handle(engine, request) {
      const { caller } = request
      const number = untrusted(request.param('version'))
      const restored = await engine.templates.restore(caller.project, request.param('id'), number, authorOf(caller))
      return ok(templateOnWire(restored))
    },
  },
]
