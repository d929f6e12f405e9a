import { useAsk } from '../../api/ask.ts'
import type { components } from '../../api/client.ts'

export type MailServer = components['schemas']['MailServer']
export type MailServerList = components['schemas']['MailServers']
export type Trial = components['schemas']['MailServerTrial']

/** The mail servers, for the operator. */
export function useMailServers(enabled = true) {
  return useAsk(['mail-servers'], (api, signal) => api.GET('/users/@me/operator/mail-servers', { signal }), { enabled })
}
