import { setTimeout as pause } from 'node:timers/promises'
import type { Finding } from '../../config/doctor/finding.ts'
import type { components, MailwrightClient } from '../client/index.ts'
import { answered, patiently } from './with-server.ts'

type Domain = components['schemas']['Domain']
type Check = components['schemas']['DomainTest']['checks'][number]

/** Of more domains, only so many are tried. */
const MAX_DOMAINS = 10
const POLL_MS = 1_000

/**
 * Has the server send a real mail from each verified domain of the key's project, to this address or back to the server,
 * and tells each line of what is known of it in the end: that takes five minutes when the mail does not come back.
 * Throws RemoteProblem, such as when mail is to come back to a server that receives none.
 */
export async function testMails(
  client: MailwrightClient,
  to: string | undefined,
  signal: AbortSignal,
  told: (finding: Finding) => void,
): Promise<void> {
  const { projectId } = await answered(client.GET('/keys/@me'))
  const all = await answered(client.GET('/domains/project/{projectId}', { params: { path: { projectId } } }))
  const domains = all.filter(({ verified }) => verified)
  if (domains.length === 0) {
    const says = 'no domain of the project is verified: add one (POST /domains), and publish its records'
    told({ part: 'test mail', state: 'warning', says })
  }
  for (const domain of domains.slice(0, MAX_DOMAINS)) {
    for (const check of await checksOf(client, domain, to, signal)) told(findingOf(domain, check))
  }
  if (domains.length > MAX_DOMAINS) {
    told({ part: 'test mail', state: 'unknown', says: `${domains.length - MAX_DOMAINS} more domains were not tried` })
  }
}

async function checksOf(
  client: MailwrightClient,
  { id }: Domain,
  to: string | undefined,
  signal: AbortSignal,
): Promise<readonly Check[]> {
  const { testId } = await answered(
    client.POST('/domains/{id}/test', { params: { path: { id } }, body: { to: to ?? null } }),
  )
  while (!signal.aborted) {
    const params = { path: { id, testId } }
    const result = await patiently(() => client.GET('/domains/{id}/test/{testId}', { params }), signal)
    if (result?.state === 'done') return result.checks
    await pause(POLL_MS, undefined, { signal }).catch(() => {})
  }
  return []
}

function findingOf({ domain }: Domain, { name, ok, seen, advice }: Check): Finding {
  const failed = name === 'sent' || name === 'arrived' ? 'problem' : 'warning'
  const state = ok === null ? 'unknown' : ok ? 'ok' : failed
  return { part: `test mail ${domain}: ${name}`, state, says: advice === '' ? seen : `${seen} ${advice}` }
}
