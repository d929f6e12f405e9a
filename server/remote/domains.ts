import { domainToUnicode } from 'node:url'
import type { components, MailwrightClient } from '../client/index.ts'
import { print, printAll } from './printing.ts'
import { RemoteProblem } from './problem.ts'
import { answered, withServer } from './with-server.ts'

/* The domains that a project sends from, by a key of the project. */

interface Asked {
  readonly url?: string
  readonly json?: true
}

type Domain = components['schemas']['Domain']
type DnsRecord = Domain['records'][number]

/** Prints the domains of the project, a line for each. */
export function listDomains({ url, json }: Asked): Promise<number> {
  return withServer(url, async (client) =>
    printAll(
      await all(client),
      json,
      (each) => `${each.id}  ${each.domain}  ${each.status}${isTrusted(each) ? ', trusted by the server' : ''}`,
      'domain',
    ),
  )
}

/** Prints the records of a domain, as they were last seen. */
export function printRecords(domain: string, { url, json }: Asked): Promise<number> {
  return withServer(url, async (client) => {
    const { records } = await named(client, domain)
    return printAll(records, json, lineOf, 'record')
  })
}

/** Looks the records of a domain up, and prints what was seen. Answers 1 when they do not verify it. */
export function checkDomain(domain: string, { url, json }: Asked): Promise<number> {
  return withServer(url, async (client) => {
    const { id } = await named(client, domain)
    const checked = await answered(client.POST('/domains/{id}/verify', { params: { path: { id } } }))
    if (json) print(JSON.stringify(checked))
    else {
      print(`${checked.domain} is ${checked.status}.`)
      if (isTrusted(checked)) print('Mail from it goes out all the same: the configuration of the server trusts it.')
      for (const record of checked.records) print(`${lineOf(record)}\n  ${record.advice}`.trimEnd())
    }
    return checked.status === 'VERIFIED' ? 0 : 1
  })
}

/** Whether mail goes out from it although its records do not verify it. */
function isTrusted({ verified, status }: Pick<Domain, 'verified' | 'status'>): boolean {
  return verified && status !== 'VERIFIED'
}

/** One a line: `PENDING  TXT  acme.example  v=spf1 mx ~all`. */
function lineOf({ status, type, name, value }: DnsRecord): string {
  return `${status}  ${type}  ${name}  ${value}`
}

async function all(client: MailwrightClient): Promise<readonly Domain[]> {
  const { projectId } = await answered(client.GET('/keys/@me'))
  return answered(client.GET('/domains/project/{projectId}', { params: { path: { projectId } } }))
}

async function named(client: MailwrightClient, wanted: string): Promise<Domain> {
  const name = domainToUnicode(wanted)
  const found = (await all(client)).find(({ id, domain }) => id === wanted || domain === name || domain === wanted)
  if (found !== undefined) return found
  throw new RemoteProblem(`There is no domain ${wanted} in this project; \`domains list\` shows them.`, 1)
}
