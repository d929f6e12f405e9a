import { lookup } from 'node:dns/promises'
import { request as httpRequest } from 'node:http'
import { isIP } from 'node:net'
import type { EgressRules, WebhookAnswer, WebhookRequest } from '../../core/ports/webhook-sender.ts'
import { forbiddenRange, networksOf } from '../../plugins/kit/net/forbidden-range.ts'
import { webhooksHttp } from '../../plugins/webhooks-http/index.ts'
import { webhookSenderContract } from '../contracts/webhook-sender.ts'
import { KIT } from './kit.ts'
import { right, wrong } from './wrong.ts'

type Send = (request: WebhookRequest, signal: AbortSignal) => Promise<WebhookAnswer>
const contract = (make: (egress: EgressRules) => Send) =>
  webhookSenderContract(async (egress) => ({ webhooks: { send: make(egress) }, close: async () => {} }))
const failed = (error: unknown) => ({ outcome: 'failed', reason: String(error) }) as const
const forbidden = { outcome: 'forbidden', reason: 'it is a private address' } as const

async function byFetch({ url, method, headers, body, timeout }: WebhookRequest): Promise<WebhookAnswer> {
  const signal = AbortSignal.timeout(Math.min(timeout, 500))
  const answer = await fetch(url, { method, headers, signal, ...(body === undefined ? {} : { body }) })
  return { outcome: 'answered', status: answer.status, headers: {}, body: await answer.text() }
}

right(() =>
  contract((egress) => {
    const sender = Promise.resolve(webhooksHttp().open({ ...KIT, egress }))
    return async (request, signal) => (await sender).webhooks.send(request, signal)
  }),
)

wrong('fetches whatever it is given', 'keeps to the addresses it may reach', () =>
  contract(() => (request) => byFetch(request).catch(failed)),
)

wrong('fetches whatever it is given', 'is refused', () => contract(() => (request) => byFetch(request).catch(failed)))

wrong('knows only 127.0.0.1', '"http://10.0.0.1/" is refused', () =>
  contract(({ dns, allow }) => async (request) => {
    const { hostname } = new URL(request.url)
    const addresses = isIP(hostname) === 0 ? await dns.ipv4(hostname) : [hostname]
    if (addresses.includes('127.0.0.1') && allow.length === 0) return forbidden
    return byFetch(request).catch(failed)
  }),
)

wrong('resolves the name again to connect', 'are not reached by a name that changes after the check', () =>
  contract(({ dns, allow }) => async (request) => {
    const { hostname } = new URL(request.url)
    const addresses = isIP(hostname) === 0 ? await dns.ipv4(hostname) : [hostname]
    if (addresses.some((address) => forbiddenRange(address, networksOf(allow)) !== undefined)) return forbidden
    return byFetch(request).catch(failed)
  }),
)

wrong('asks the resolver of the machine', 'keeps to the addresses it may reach', () =>
  contract(({ allow }) => async (request) => {
    const { hostname } = new URL(request.url)
    const found = await lookup('localhost')
    if (isIP(hostname) !== 0 && hostname === found.address && allow.length === 0) return forbidden
    return byFetch(request).catch(failed)
  }),
)

wrong('checks the first hop alone', 'to a forbidden address are not followed', () =>
  contract((egress) => {
    const sender = Promise.resolve(webhooksHttp().open({ ...KIT, egress }))
    return async (request, signal) => {
      const answer = await (await sender).webhooks.send({ ...request, redirect: 'manual' }, signal)
      const location = answer.outcome === 'answered' ? answer.headers.location : undefined
      if (location === undefined || request.redirect === 'manual') return answer
      return new Promise((resolve) => {
        const next = httpRequest(new URL(location, request.url), (response) => {
          response.resume()
          resolve({ outcome: 'answered', status: response.statusCode ?? 0, headers: {}, body: '' })
        })
        next.on('error', (error) => resolve(failed(error)))
        next.end()
      })
    }
  }),
)

/** The sender, changed. */
const changed = (change: (send: Send, egress: EgressRules) => Send) =>
  contract((egress) => {
    const sender = Promise.resolve(webhooksHttp().open({ ...KIT, egress }))
    return change(async (request, signal) => (await sender).webhooks.send(request, signal), egress)
  })

wrong('forbids all of IPv4 by its list for IPv6', 'a public address is tried', () =>
  changed((send, { allow }) => async (request, signal) => {
    const { hostname } = new URL(request.url)
    const isPublic = isIP(hostname) === 4 && forbiddenRange(hostname, networksOf(allow)) === undefined
    return isPublic && !hostname.startsWith('127.') ? forbidden : send(request, signal)
  }),
)
wrong('takes an answer of 500 for none', 'answers the status 500', () =>
  changed((send) => async (request, signal) => {
    const answer = await send(request, signal)
    return answer.outcome === 'answered' && answer.status >= 500 ? failed('a bad answer') : answer
  }),
)
wrong('tries again when there is no answer', 'is never called unsent', () =>
  changed((send) => async (request, signal) => {
    const answer = await send(request, signal)
    return answer.outcome === 'failed' ? send(request, signal) : answer
  }),
)
wrong('calls everything unsent that failed', 'is never called unsent', () =>
  changed((send) => async (request, signal) => {
    const answer = await send(request, signal)
    return answer.outcome === 'failed' ? { ...answer, unsent: true } : answer
  }),
)
wrong('throws when nobody listens', 'when nobody listens', () =>
  changed((send) => async (request, signal) => {
    const answer = await send(request, signal)
    if (answer.outcome === 'failed') throw new Error(answer.reason)
    return answer
  }),
)
wrong('waits as long as the server likes', 'after the time-out', () =>
  changed((send) => (request, signal) => send({ ...request, timeout: 8_000 }, signal)),
)
wrong('makes a request that was given up', 'is aborted already', () =>
  changed((send) => (request) => send(request, new AbortController().signal)),
)
wrong('tells which private address stands behind a name', 'are not told', () =>
  changed((send, { dns }) => async (request, signal) => {
    const answer = await send(request, signal)
    if (answer.outcome !== 'forbidden') return answer
    const { hostname } = new URL(request.url)
    const addresses = isIP(hostname) === 0 ? await dns.ipv4(hostname).catch(() => []) : []
    return { ...answer, reason: `it leads to ${addresses.join()}` }
  }),
)
wrong('names header fields of an answer as they came', 'answers the status 200', () =>
  changed((send) => async (request, signal) => {
    const answer = await send(request, signal)
    if (answer.outcome !== 'answered') return answer
    const headers = Object.entries(answer.headers).map(([name, value]) => [
      name.replace(/^./, (c) => c.toUpperCase()),
      value,
    ])
    return { ...answer, headers: Object.fromEntries(headers) }
  }),
)
wrong('follows a 301 to another page', 'and no other page is asked for', () =>
  changed((send) => (request, signal) => send({ redirect: 'fetch', ...request }, signal)),
)
wrong('says not where a redirect leads', 'and no other page is asked for', () =>
  changed((send) => async (request, signal) => {
    const { leadsTo: _place, ...answer } = { leadsTo: '', ...(await send(request, signal)) }
    return answer
  }),
)
