import { createHmac } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { type HookRequest, silentLog, systemClock } from '../../config/library.ts'
import { acmeEvents } from '../../examples/http-hook.ts'
import { type HookEvent, httpHookContract } from '../contracts/index.ts'

const SECRET = 'a secret of acme'
const TYPES = {
  delivered: 'sent',
  bounced: 'bounce',
  complained: 'spam',
  opened: 'open',
  clicked: 'click',
  nonsense: 'x',
}

function signed(body: Uint8Array, receivedAt: Date, secret = SECRET): HookRequest {
  const headers = { 'acme-signature': createHmac('sha256', secret).update(body).digest('hex') }
  return { method: 'POST', headers, query: new URLSearchParams(), body, receivedAt }
}

function told({ kind, id, mail: { messageId }, recipient: to, at, diagnostic: said, link }: HookEvent) {
  return { id, type: TYPES[kind], messageId, to, at: at.getTime(), said, link }
}

describe('the example of a hook', () => {
  httpHookContract(async () => ({
    hook: (await acmeEvents({ secret: SECRET }).open({ log: silentLog, clock: systemClock })).hook,
    tell: (events, moment) => signed(Buffer.from(JSON.stringify(events.map(told))), moment),
    forge: (request) => [{ ...request, headers: {} }, signed(request.body, request.receivedAt, 'another secret')],
    prove: signed,
    provesBody: true,
    tolerance: undefined,
    close: async () => {},
  }))

  it('is the one the page about plugins shows', async () => {
    const [page, example] = await Promise.all(
      ['docs/plugins.md', 'examples/http-hook.ts'].map((path) =>
        readFile(new URL(`../../${path}`, import.meta.url), 'utf8'),
      ),
    )
    const section = page?.split(/^## /m).find((each) => each.startsWith('A hook\n'))
    expect(/```ts\n(.*?)```/s.exec(section ?? '')?.[1]).toBe(example)
  })
})
