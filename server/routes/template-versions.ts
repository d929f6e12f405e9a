import { authorOf } from '../../core/projects/caller.ts'
import { ListVersions, PublishDraft, WriteDraft } from '../../core/templates/template.ts'
import { untrusted } from '../../core/values/input.ts'
import { cursorList, listed } from '../answers/lists.ts'
import { DraftAnswer, ListedVersionAnswer, TemplateAnswer, VersionAnswer } from '../answers/templates.ts'
import { type KeyRoute, noContent, ok } from '../http/route.ts'

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
    gives: { 200: DraftAnswer.schema },
    examples: [{ body: { subject: 'Welcome aboard, {{ name', version: 1, revision: null } }],
    async handle(engine, request) {
      const { caller, body } = request
      const draft = await engine.templates.saveDraft(caller.project, request.param('id'), body, authorOf(caller))
      return ok(DraftAnswer.of(draft))
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
    gives: { 200: TemplateAnswer.schema },
    async handle(engine, request) {
      const { caller, body } = request
      const published = await engine.templates.publish(caller.project, request.param('id'), body, authorOf(caller))
      return ok(TemplateAnswer.of(published))
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
    gives: { 200: cursorList(ListedVersionAnswer.schema) },
    async handle(engine, request) {
      const { caller, query } = request
      return ok(
        listed(await engine.templates.versions(caller.project, request.param('id'), query), ListedVersionAnswer.of),
      )
    },
  },
  {
    method: 'GET',
    path: '/templates/:id/versions/:version',
    operation: 'getTemplateVersion',
    summary: 'Get a version of a template',
    description: 'Shows all its fields.',
    access: 'secret',
    gives: { 200: VersionAnswer.schema },
    async handle(engine, request) {
      const { project } = request.caller
      const found = await engine.templates.version(project, request.param('id'), untrusted(request.param('version')))
      return ok(VersionAnswer.of(found))
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
    gives: { 200: TemplateAnswer.schema },
    async handle(engine, request) {
      const { caller } = request
      const number = untrusted(request.param('version'))
      const restored = await engine.templates.restore(caller.project, request.param('id'), number, authorOf(caller))
      return ok(TemplateAnswer.of(restored))
    },
  },
]
