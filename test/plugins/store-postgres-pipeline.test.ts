import { Client } from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../../core/ports/clock.ts'
import { silentLog } from '../../core/ports/log.ts'
import type { Counted } from '../../core/ports/store/reputation.ts'
import { postgres } from '../../plugins/store-postgres/index.ts'
import { at, claimMails, NOON, newProjectId, putEmail, result } from '../contracts/store/records.ts'
import { freshDatabase } from '../support/fresh-database.ts'

/** Fails the first time as a transaction that lost a race, and never again. */
const LOSE_ONCE = `create sequence mailwright.tries;
  create function mailwright.lose_once() returns trigger language plpgsql as $$ begin
    if nextval('mailwright.tries') = 1 then raise exception 'lost' using errcode = '40001'; end if;
    return null;
  end $$;
  create trigger lose_once before insert on mailwright.activity_counts execute function mailwright.lose_once()`

it('runs results again that lost a race, also when more was sent behind the statement that lost it', async () => {
  const url = await freshDatabase()
  const { store, close } = await postgres({ url }).open({ log: silentLog, clock: systemClock })
  onTestFinished(async () => close?.())
  const projectId = newProjectId()
  const mail = await putEmail(store, projectId)
  await claimMails(store, [mail], NOON, { token: 'w', until: at(300) })
  const client = new Client({ connectionString: url })
  await client.connect()
  onTestFinished(() => client.end())
  await client.query(LOSE_ONCE)
  // the refusal is written behind the counts, when the figures are under way
  const counted: Counted = {
    projectId,
    at: NOON,
    sendingDomain: 'acme.example',
    recipientDomain: 'a.example',
    facts: ['bounced'],
    refusal: { code: '5.1.1', text: 'none' },
  }
  const bounced = result(mail, 'w', { status: 'BOUNCED', counted })
  expect(await store.emails.record([bounced])).toEqual(new Set([mail.id]))
  const { rows } = await client.query('select last_value::int as tries from mailwright.tries')
  expect(rows).toEqual([{ tries: 2 }])
  expect(await store.reputation.refusals(projectId, 'recipientDomain', ['a.example'], NOON, 9)).toHaveLength(1)
})
