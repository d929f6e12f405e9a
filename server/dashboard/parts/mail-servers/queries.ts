import { useAsk } from '../../api/ask.ts'
import type { Api, components, operations } from '../../api/client.ts'

export type MailServer = components['schemas']['MailServer']
export type MailServerList = components['schemas']['MailServers'] &
  Partial<Pick<components['schemas']['ProjectMailServers'], 'way'>>
export type Trial = components['schemas']['MailServerTrial']

type Added = operations['addMailServer']['requestBody']['content']['application/json']
type Changed = operations['changeMailServer']['requestBody']['content']['application/json']
type Tried = operations['testMailServer']['requestBody']['content']['application/json']

/** The preset of a mail server that is none: this machine hands mail to the servers of its recipients itself. */
export const DIRECT = 'direct'

/** Whose mail servers a page is about. */
export type Owner = 'installation' | 'project'

const OPERATOR = '/users/@me/operator/mail-servers'

/** The requests about the mail servers of each, with the noun of what they ask for. */
export const REQUESTS = {
  installation: {
    noun: 'mail-servers',
    list: (api: Api, signal: AbortSignal) => api.GET(OPERATOR, { signal }),
    add: (api: Api, body: Added) => api.POST(OPERATOR, { body }),
    change: (api: Api, serverId: string, body: Changed) =>
      api.PATCH(`${OPERATOR}/{serverId}`, { params: { path: { serverId } }, body }),
    remove: (api: Api, serverId: string) => api.DELETE(`${OPERATOR}/{serverId}`, { params: { path: { serverId } } }),
    test: (api: Api, body: Tried) => api.POST(`${OPERATOR}/test`, { body }),
  },
  project: {
    noun: 'project-mail-servers',
    list: (api: Api, signal: AbortSignal) => api.GET('/mail-servers', { signal }),
    add: (api: Api, body: Added) => api.POST('/mail-servers', { body }),
    change: (api: Api, serverId: string, body: Changed) =>
      api.PATCH('/mail-servers/{serverId}', { params: { path: { serverId } }, body }),
    remove: (api: Api, serverId: string) => api.DELETE('/mail-servers/{serverId}', { params: { path: { serverId } } }),
    test: (api: Api, body: Tried) => api.POST('/mail-servers/test', { body }),
  },
} as const

/** The mail servers of the installation, for the operator, or those of the project, for who may change its settings. */
export function useMailServers(owner: Owner, enabled = true) {
  const { noun, list } = REQUESTS[owner]
  return useAsk<MailServerList>([noun], list, { enabled })
}
