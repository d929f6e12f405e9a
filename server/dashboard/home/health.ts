import { useAsk } from '../api/ask.ts'
import { useMay, useProject } from '../api/project.tsx'
import { useSession } from '../api/session.tsx'
import { goesOut } from '../parts/delivered.ts'
import { useFirstTexts } from '../texts/texts.tsx'

export interface HealthProblem {
  /** The problem and what to do. */
  readonly text: string
  readonly href?: string
}

/** An attack is over when none was noted for so long; one that lasts is noted every ten minutes. */
const ATTACK_MS = 3_600_000

/** The problems of domains, webhooks, forms, sending and the server; undefined until they are known. */
export function useHealth(): readonly HealthProblem[] | undefined {
  const t = useFirstTexts()
  const project = useProject()
  const way = useMailWay()
  const server = useAsk(['health'], (api, signal) => api.GET('/health', { signal }), { every: 30_000 })
  const domains = useAsk(['domains'], (api, signal) =>
    api.GET('/domains/project/{projectId}', { params: { path: { projectId: project.id } }, signal }),
  )
  const webhooks = useAsk(['webhooks', 'list'], (api, signal) => api.GET('/webhooks', { signal }))
  const sending = useAsk(['deliverability', 'sendingDomain'], (api, signal) =>
    api.GET('/deliverability', { params: { query: { by: 'sendingDomain' } }, signal }),
  )
  const forms = useAsk(
    ['forms', 'list'],
    (api, signal) => api.GET('/forms', { params: { query: { limit: 100 } }, signal }),
    { every: 60_000 },
  )
  if (!domains.data || !webhooks.data) return undefined
  const attackedSince = Date.now() - ATTACK_MS
  const parts = Object.entries(server.data?.parts ?? {}).filter(([, state]) => state === 'down')
  return [
    ...(way === undefined ? [] : [way]),
    ...parts.map(([part]) => ({ text: t.home.partDown(part) })),
    ...domains.data
      .filter(({ verified }) => !verified)
      .map(({ id, domain, status }) => ({
        text: status === 'FAILED' ? t.home.domainFailed(domain) : t.home.domainPending(domain),
        href: `/domains/${id}`,
      })),
    ...webhooks.data
      .filter(({ pausedReason }) => pausedReason !== undefined)
      .map(({ id, url }) => ({ text: t.home.webhookPaused(url), href: `/webhooks/${id}` })),
    ...(forms.data?.data ?? [])
      .filter(({ attackedAt }) => attackedAt !== undefined && Date.parse(attackedAt) > attackedSince)
      .map(({ id, name }) => ({ text: t.home.formAttacked(name), href: `/forms/${id}` })),
    ...(sending.data ?? [])
      .filter(({ state }) => state !== undefined && state !== 'ok')
      .map(({ domain }) => ({ text: t.home.highRate(domain), href: '/deliverability' })),
  ]
}

/** The reason why mail of the project does not go out, with a link to where the reader may change that. */
function useMailWay(): HealthProblem | undefined {
  const t = useFirstTexts()
  const project = useProject()
  const { user } = useSession()
  const may = useMay()
  if (goesOut(project)) return undefined
  const isKept = project.mailWay === 'folder'
  const text = isKept ? t.home.toFolder : t.home.waits
  if (isKept && user.operator) return { text, href: '/start?step=transport' }
  return may.settings ? { text, href: '/settings?tab=servers' } : { text }
}
