import { readServers } from '../installation/mail-server.ts'
import type { Repositories } from '../ports/store/store.ts'
import { isId } from '../values/id.ts'
import type { ProjectId } from '../values/project-id.ts'

type NameReader = (store: Repositories, project: ProjectId, id: string, now: Date) => Promise<string | undefined>

/**
 * How the audit log finds the name of a thing, by its word in the path. Contacts and mails are left out: their names are
 * addresses and subjects, which would outlive their erasure here. Of a webhook only the host: the rest of an address may be
 * a secret.
 */
const READERS: Readonly<Record<string, NameReader>> = {
  campaigns: async (store, project, id) => (await store.campaigns.find(project, id))?.name,
  'campaign-series': async (store, project, id) => (await store.series.find(project, id))?.name,
  domains: async (store, project, id) => (await store.domains.find(project, id))?.domain,
  forms: async (store, project, id) => (await store.forms.find(project, id))?.name,
  inboxes: async (store, project, id) => (await store.inboxes.find(project, id))?.name,
  keys: async (store, project, id) => (await store.projects.keys(project)).find((key) => key.id === id)?.name,
  layouts: async (store, project, id) => (await store.layouts.find(project, id))?.name,
  'mail-servers': async (store, project, id) =>
    (await store.projectServers.among([project]))
      .flatMap(({ value }) => readServers(value))
      .find((server) => server.id === id)?.name,
  members: async (store, project, id, now) =>
    (await store.members.list(project)).find(({ userId }) => userId === id)?.user.email ??
    (await store.userTokens.invites(project, now)).find((invite) => invite.id === id)?.email,
  projects: async (store, project) => (await store.projects.find(project))?.name,
  segments: async (store, project, id) => (await store.segments.find(project, id))?.name,
  snippets: async (store, project, id) => (await store.snippets.find(project, id))?.name,
  templates: async (store, project, id) => (await store.templates.find(project, id))?.name,
  topics: async (store, project, id) => (await store.topics.find(project, id))?.name,
  uploads: async (store, project, id) => (await store.uploads.byId(project, id))?.name,
  webhooks: async (store, project, id) => URL.parse((await store.webhookEndpoints.find(project, id))?.url ?? '')?.host,
  workflows: async (store, project, id) => (await store.workflows.find(project, id))?.name,
}

/** The name that a thing of a project has now; undefined for one that has none, or is not there. */
export async function nameOfTarget(
  store: Repositories,
  project: ProjectId,
  { type, id }: { readonly type: string; readonly id: string },
  now: Date,
): Promise<string | undefined> {
  const reader = Object.hasOwn(READERS, type) ? READERS[type] : undefined
  return reader && isId(id) ? reader(store, project, id, now) : undefined
}
