import { createHmac } from 'node:crypto'
import { type HookRequest, silentLog, systemClock } from 'mailwright'
import { type HookEvent, httpHookContract } from 'mailwright/contracts'
import { describe } from 'vitest'
import { acmeEvents } from '../http-hook.ts'

const SECRET = 'a secret of the provider'
const TYPES = {
  delivered: 'sent',
  bounced: 'bounce',
  complained: 'spam',
  opened: 'open',
  clicked: 'click',
  nonsense: 'x',
}

/** A request as the provider signs it. */
function signed(body: Uint8Array, receivedAt: Date, secret = SECRET): HookRequest {
  const headers = { 'acme-signature': createHmac('sha256', secret).update(body).digest('hex') }
  return { method: 'POST', headers, query: new URLSearchParams(), body, receivedAt }
}

/** An event as the provider writes it. */
function written({ kind, id, mail: { messageId }, recipient: to, at, diagnostic: said, link }: HookEvent) {
  return { id, type: TYPES[kind], messageId, to, at: at.getTime(), said, link }
}

describe('hook-acme', () => {
  httpHookContract(async () => ({
    hook: (await acmeEvents({ secret: SECRET }).open({ log: silentLog, clock: systemClock })).hook,
    tell: (events, moment) => signed(Buffer.from(JSON.stringify(events.map(written))), moment),
    forge: (request) => [{ ...request, headers: {} }, signed(request.body, request.receivedAt, 'another secret')],
    prove: signed,
    provesBody: true,
    tolerance: undefined,
    close: async () => {},
  }))
})
