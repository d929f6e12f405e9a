import { TestDomain } from '../../core/domains/domain-tests.ts'
import { AddDomain, ChangeDomain } from '../../core/domains/domains.ts'
import type { Engine } from '../../core/engine.ts'
import { EngineError } from '../../core/errors.ts'
import { DnsKeeperRecord, DomainLogoRecord, SendingDomain, StartedTest, TestResult } from '../answers/domains.ts'
import { LinkHostQuery } from '../answers/health.ts'
import { many, Ok } from '../answers/parts.ts'
import type { ApiRequest } from '../http/requests.ts'
import { accepted, created, type KeyRoute, noContent, type OpenRoute, ok, type Reply } from '../http/route.ts'

/**
 * The question of a proxy before it gets a certificate for a host (Caddy's `on_demand_tls`): 200 when links in mail
 * lead there.
 */
export const linkHostRoutes: readonly OpenRoute[] = [
  {
    method: 'GET',
    path: '/link-host',
    operation: 'checkLinkHost',
    summary: 'Check whether links lead to a host',
    description:
      '200 if the host `domain` is the link host of a sending domain here, or serves its MTA-STS policy, otherwise 404. For proxies that get certificates on demand.',
    access: 'open',
    quiet: true,
    takes: { query: LinkHostQuery },
    gives: { 200: Ok },
    fails: [404],
    async handle(engine, request) {
      const isOurs = await engine.domains.hasLinkHost(request.query.get('domain') ?? '')
      if (!isOurs) throw new EngineError('RESOURCE_NOT_FOUND', 'No links lead to this host.')
      return ok({ status: 'ok' })
    },
  },
]

/** The MTA-STS policies of sending domains, each at its own host. */
export const stsRoutes: readonly OpenRoute[] = [
  {
    method: 'GET',
    path: '/.well-known/mta-sts.txt',
    operation: 'getStsPolicy',
    summary: 'Get the MTA-STS policy of a domain',
    description:
      'The policy (RFC 8461) of the domain whose host, `mta-sts.<domain>`, the request names; otherwise 404.',
    access: 'open',
    quiet: true,
    gives: { 200: 'text/plain' },
    fails: [404],
    async handle(engine, request) {
      const host = (request.header('host') ?? '').replace(/:\d{1,5}$/, '')
      const policy = await engine.domains.stsPolicy(host)
      if (policy === undefined) throw new EngineError('RESOURCE_NOT_FOUND', 'There is no MTA-STS policy at this host.')
      return { status: 200, raw: policy, headers: { 'content-type': 'text/plain; charset=utf-8' } }
    },
  },
]

/** Sending domains. */
export const domainRoutes: readonly KeyRoute[] = [
  {
    method: 'GET',
    path: '/domains/project/:projectId',
    operation: 'listDomains',
    summary: 'List the sending domains of the project',
    description: 'With the DNS records to publish, and the state of each.',
    access: 'secret',
    gives: { 200: many(SendingDomain) },
    async handle(engine, request) {
      return ok(await engine.domains.list(request.caller.project, request.param('projectId')))
    },
  },
  {
    method: 'POST',
    path: '/domains',
    operation: 'addDomain',
    summary: 'Add a sending domain',
    description:
      'Makes its key and returns the DNS records to publish. Once they are found, the project may send from it.',
    access: 'secret',
    body: 'json',
    takes: { body: AddDomain },
    gives: { 201: SendingDomain },
    examples: [{ body: { domain: 'news.example.net' } }],
    async handle(engine, { caller, body }) {
      return created(await engine.domains.add(caller.project, body))
    },
  },
  {
    method: 'GET',
    path: '/domains/:id/verify',
    operation: 'checkDomain',
    summary: 'Check the DNS records of a domain now',
    description: 'Records are also checked in the background; use this after you have just published them.',
    access: 'secret',
    gives: { 200: SendingDomain },
    handle: check,
  },
  {
    method: 'POST',
    path: '/domains/:id/verify',
    operation: 'checkDomainNow',
    idempotent: 'ignored',
    audit: 'never',
    summary: 'Have the DNS records of a domain checked now',
    description: 'The same as GET, for clients that expect POST of a request that changes something.',
    access: 'secret',
    area: 'read',
    gives: { 200: SendingDomain },
    handle: check,
  },
  {
    method: 'GET',
    path: '/domains/:id/keeper',
    operation: 'getDomainKeeper',
    summary: 'See who keeps the DNS of a domain',
    description:
      'By its name servers, with a link to the page where records are published, for the providers that are known.',
    access: 'secret',
    gives: { 200: DnsKeeperRecord },
    async handle(engine, request) {
      return ok(await engine.domains.keeper(request.caller.project, request.param('id')))
    },
  },
  {
    method: 'GET',
    path: '/domains/:id/bimi',
    operation: 'getDomainLogo',
    summary: 'Check the logo of a domain',
    description:
      'Looks at its BIMI record, its DMARC policy and the picture now, and says the first thing that keeps receivers from showing it.',
    access: 'secret',
    gives: { 200: DomainLogoRecord },
    async handle(engine, request) {
      return ok(await engine.domains.logo(request.caller.project, request.param('id')))
    },
  },
  {
    method: 'PATCH',
    path: '/domains/:id',
    operation: 'changeDomain',
    summary: 'Change the link host or the MTA-STS policy of a domain',
    description:
      'Links in its mail lead to the host from now on, or with null to the public address of the server. The policy is served at `https://mta-sts.<domain>/.well-known/mta-sts.txt`.',
    access: 'secret',
    body: 'json',
    takes: { body: ChangeDomain },
    gives: { 200: SendingDomain },
    examples: [{ body: { linkHost: null, mtaSts: null } }],
    async handle(engine, request) {
      return ok(await engine.domains.change(request.caller.project, request.param('id'), request.body))
    },
  },
  {
    method: 'POST',
    path: '/domains/:id/rotate',
    operation: 'rotateDomainKey',
    summary: 'Replace the key of a domain',
    description:
      'The current key signs until the record of the new one is found. 409 if a provider changes keys itself.',
    access: 'secret',
    body: 'json-or-nothing',
    gives: { 200: SendingDomain },
    async handle(engine, request) {
      return ok(await engine.domains.rotate(request.caller.project, request.param('id')))
    },
  },
  {
    method: 'POST',
    path: '/domains/:id/test',
    operation: 'testDomain',
    summary: 'Send a test mail from a domain',
    description:
      'A real mail, through the configured transport, back to this server or to an address of yours. At most ten an hour.',
    access: 'secret',
    body: 'json-or-nothing',
    takes: { body: TestDomain },
    gives: { 202: StartedTest },
    examples: [{ body: { to: 'me@example.com' } }],
    async handle(engine, request) {
      return accepted(await engine.domains.tests.start(request.caller.project, request.param('id'), request.body))
    },
  },
  {
    method: 'GET',
    path: '/domains/:id/test/:testId',
    operation: 'getDomainTest',
    summary: 'Get the result of a domain test',
    description: 'Each line says what was checked, what was found, and what to do.',
    access: 'secret',
    gives: { 200: TestResult },
    async handle(engine, request) {
      return ok(await engine.domains.tests.result(request.caller.project, request.param('id'), request.param('testId')))
    },
  },
  {
    method: 'DELETE',
    path: '/domains/:id',
    operation: 'removeDomain',
    summary: 'Remove a sending domain and its keys',
    description: 'The project can no longer send from it.',
    access: 'secret',
    gives: { 204: null },
    async handle(engine, request) {
      await engine.domains.remove(request.caller.project, request.param('id'))
      return noContent
    },
  },
]

async function check(engine: Engine, request: ApiRequest): Promise<Reply> {
  return ok(await engine.domains.verify(request.caller.project, request.param('id')))
}
