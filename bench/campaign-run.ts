import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { AudienceClient } from './audience-client.ts'
import { campaignHtml, PUBLIC_URL } from './campaign-mail.ts'
import { type ServerProcess, startServer } from './server-process.ts'

export const CONNECTIONS = 50
const SECRET = `sk_${'b'.repeat(48)}`
export const PROJECTS = [{ name: 'Bench', secretKey: SECRET, trustedDomains: ['example.com'] }]

/** A server process that hands mail to this port, and a client of its project. */
export interface CampaignServer {
  readonly server: ServerProcess
  readonly client: AudienceClient
}

/** Starts the real server on this store, with tracked mails; signed by a new RSA key of 2048 bits if `signed`. */
export async function startCampaignServer(
  store: object,
  port: number,
  {
    signed = false,
    threads,
    core,
    rules = 0,
    quota = false,
    args,
  }: {
    readonly signed?: boolean
    readonly threads?: number
    readonly core?: number
    readonly rules?: number
    readonly quota?: boolean
    /** Further command-line arguments. */
    readonly args?: readonly string[]
  } = {},
): Promise<CampaignServer> {
  const options = { host: '127.0.0.1', port, maxConnections: CONNECTIONS }
  const server = await startServer({
    server: { publicUrl: PUBLIC_URL },
    ...(core === undefined ? {} : { core }),
    ...(args === undefined ? {} : { args }),
    config: {
      ...{ store, projects: PROJECTS, transports: [{ name: 'main', use: 'smtp', options }] },
      limits: { requestsPerMinute: 10_000_000 },
      delivery: {
        ...(threads === undefined ? {} : { threads }),
        ...(rules === 0 ? {} : { routes: rulesOf(rules) }),
        ...(quota ? { throttle: { transports: { main: { quota: { day: 1_000_000_000 } } } } } : {}),
      },
      ...(signed ? { dkim: [{ domain: 'example.com', selector: 'bench', privateKey: pemOf(rsaKey()) }] } : {}),
    },
  })
  return { server, client: new AudienceClient(server, SECRET) }
}

/** So many rules, each for a sender or a recipient of its own or for a tag, and the last for campaigns. */
function rulesOf(count: number): readonly object[] {
  const others = Array.from({ length: count - 1 }, (_, i) => {
    const when = [
      { class: 'campaign', senderDomain: `sender${i}.example`, recipientDomain: '*.example.org' },
      { senderDomain: 'example.com', recipientDomain: `recipient${i}.example` },
      { class: ['campaign', 'workflow'], tag: { customer: String(i) } },
    ][i % 3]
    return { when, to: 'main' }
  })
  return [...others, { when: { class: 'campaign' }, to: 'main' }]
}

/** An RSA key of 2048 bits. */
export function rsaKey(): KeyObject {
  return generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
}

function pemOf(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString()
}

/** Creates a campaign to all contacts and returns its id. */
export async function writeCampaign(client: AudienceClient): Promise<string> {
  const { data } = await client.json<{ data: { id: string } }>('POST', '/campaigns', {
    ...{ name: 'News', subject: 'News for {{ firstName }}', body: campaignHtml() },
    ...{ from: 'news@example.com', fromName: 'News', audienceType: 'ALL' },
  })
  return data.id
}

/** Answers once the campaign is SENT. Throws when it ends otherwise. */
export async function campaignSent(client: AudienceClient, id: string): Promise<void> {
  for (;;) {
    const { status } = await client.json<{ status: string }>('GET', `/campaigns/${id}`)
    if (status === 'SENT') return
    if (status !== 'SENDING') throw new Error(`the campaign is ${status}`)
    await pause(50)
  }
}

/** The process's peak resident memory so far, in MB, from Linux's /proc; NaN elsewhere. */
export function peakMegabytes(pid: number): number {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
  } catch {
    return Number.NaN
  }
}

/** The CPU time the process has used so far, in seconds, from Linux's /proc; NaN elsewhere. */
export function cpuSeconds(pid: number): number {
  return secondsIn(`/proc/${pid}/stat`)
}

/** The same of its main thread alone, which runs the event loop. */
export function mainThreadSeconds(pid: number): number {
  return secondsIn(`/proc/${pid}/task/${pid}/stat`)
}

function secondsIn(file: string): number {
  try {
    const fields = readFileSync(file, 'utf8').split(') ')[1]?.split(' ') ?? []
    return (Number(fields[11]) + Number(fields[12])) / 100
  } catch {
    return Number.NaN
  }
}
