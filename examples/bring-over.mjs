// Brings an audience over from another service, by the interfaces of both. It may be run again: contacts are updated,
// templates and segments that are here by name are left alone. docs/coming-from-plunk.md and docs/coming-from-listmonk.md.
//   PLUNK_KEY=sk_… node examples/bring-over.mjs plunk
//   node examples/bring-over.mjs listmonk subscribers.csv [--segment Weekly] [--unsubscribed]
// Both want MAILWRIGHT_KEY=sk_…, and MAILWRIGHT_URL unless it is http://127.0.0.1:3000.
import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { parse } from 'csv-parse/sync'
import { stringify } from 'csv-stringify/sync'

/** An import takes 5 MB. */
const FILE_BYTES = 4_000_000
const here = service(process.env.MAILWRIGHT_URL ?? 'http://127.0.0.1:3000', process.env.MAILWRIGHT_KEY)

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { segment: { type: 'string' }, unsubscribed: { type: 'boolean', default: false } },
})
const [from, file] = positionals
if (from === 'plunk' && process.env.PLUNK_KEY) await fromPlunk()
else if (from === 'listmonk' && file) await fromListmonk(file, values)
else {
  console.error(
    'Usage: bring-over.mjs plunk, with PLUNK_KEY\n       bring-over.mjs listmonk FILE [--segment NAME] [--unsubscribed]',
  )
  process.exit(64)
}

async function fromPlunk() {
  const there = service(process.env.PLUNK_URL ?? 'https://next-api.useplunk.com', process.env.PLUNK_KEY)
  const contacts = await everyByCursor(there, '/contacts')
  await bringContacts(contacts)
  await bringTemplates(await everyByPage(there, '/templates', 'templates', 'data'))
  for (const segment of listIn(await there('GET', '/segments'), 'segments', 'data')) {
    if (segment.type === 'STATIC') {
      const members = await everyByPage(there, `/segments/${segment.id}/contacts`, 'contacts', 'data')
      await bringList(
        segment.name,
        members.map(({ email }) => email),
      )
    } else await bringSegment(segment)
  }
}

/** The columns of listmonk's export: uuid, email, name, attributes (JSON), status, created_at, updated_at. */
async function fromListmonk(path, { segment, unsubscribed }) {
  const rows = parse(readFileSync(path), { columns: true, bom: true, skip_empty_lines: true })
  const contacts = rows.map(({ email, name, attributes, status }) => ({
    email,
    subscribed: status === 'enabled' && !unsubscribed,
    data: { ...(name ? { name } : {}), ...JSON.parse(attributes || '{}') },
  }))
  await bringContacts(contacts)
  const blocked = rows.filter(({ status }) => status === 'blocklisted')
  for (const { email } of blocked)
    await here('POST', '/suppressions', { email, detail: 'on the blocklist of listmonk' })
  if (blocked.length > 0) console.log(`${blocked.length} addresses suppressed`)
  if (segment)
    await bringList(
      segment,
      contacts.filter(({ subscribed }) => subscribed).map(({ email }) => email),
    )
}

/** By files where cells can hold all of the data, which is quick; the others one by one. */
async function bringContacts(contacts) {
  const whole = contacts.filter(({ data }) => Object.values(data ?? {}).every(fitsCell))
  const keys = [...new Set(whole.flatMap(({ data }) => Object.keys(data ?? {})))]
  let rows = []
  let bytes = 0
  for (const { email, subscribed, data } of whole) {
    const row = [email, String(subscribed), ...keys.map((key) => cellOf(data?.[key]))]
    rows.push(row)
    bytes += row.join(',').length * 2
    if (bytes < FILE_BYTES) continue
    await importFile(keys, rows)
    rows = []
    bytes = 0
  }
  if (rows.length > 0) await importFile(keys, rows)
  for (const { email, subscribed, data } of contacts)
    if (!Object.values(data ?? {}).every(fitsCell)) await here('POST', '/contacts', { email, subscribed, data })
  console.log(`${contacts.length} contacts`)
}

/** Lists and objects do not fit a cell, nor do texts that an import would take for a number or a boolean. */
function fitsCell(value) {
  if (typeof value === 'string') return !/^(-?\d.*|true|false)$/is.test(value) && !/^['=+\-@\t\r\n＝＋－＠]/.test(value)
  return value === null || typeof value !== 'object'
}

function cellOf(value) {
  return value === undefined || value === null ? '' : String(value)
}

async function importFile(keys, rows) {
  const form = new FormData()
  form.set('file', new Blob([stringify([['email', 'subscribed', ...keys], ...rows])]), 'contacts.csv')
  const { jobId } = await here('POST', '/contacts/import', form)
  for (;;) {
    const { state, result, failedReason } = await here('GET', `/contacts/import/${jobId}`)
    if (state === 'failed') throw new Error(`The import failed: ${failedReason}`)
    if (state === 'completed') {
      for (const { email, error } of result.errors) console.error(`refused: ${email}: ${error}`)
      return
    }
    await pause(100)
  }
}

async function bringTemplates(templates) {
  const known = new Set((await everyByPage(here, '/templates', 'templates')).map(({ name }) => name))
  for (const { name, description, subject, body, from, fromName, replyTo, type } of templates) {
    if (known.has(name)) continue
    const template = { name, description, subject, body, fromName, replyTo, type }
    const given = Object.fromEntries(Object.entries({ ...template, from }).filter(([, value]) => value != null))
    await here('POST', '/templates', given).catch((error) => console.error(`template ${name}: ${error.message}`))
  }
  console.log(`${templates.length} templates`)
}

async function bringSegment({ name, description, condition, filters, trackMembership }) {
  if ((await mySegments()).some((segment) => segment.name === name)) return
  const filter = condition ? { condition } : { filters }
  const segment = {
    name,
    ...(description ? { description } : {}),
    ...filter,
    trackMembership: trackMembership ?? false,
  }
  await here('POST', '/segments', segment).then(
    () => console.log(`segment ${name}`),
    (error) => console.error(`segment ${name}: ${error.message}`),
  )
}

/** A static segment of these contacts. */
async function bringList(name, emails) {
  const known = (await mySegments()).find((segment) => segment.name === name)
  const { id } = known ?? (await here('POST', '/segments', { name, type: 'STATIC' }))
  for (let i = 0; i < emails.length; i += 500)
    await here('POST', `/segments/${id}/members`, { emails: emails.slice(i, i + 500) })
  console.log(`segment ${name}: ${emails.length} members`)
}

async function mySegments() {
  return listIn(await here('GET', '/segments'), 'segments', 'data')
}

async function everyByCursor(ask, path) {
  const all = []
  let cursor = ''
  do {
    const page = await ask('GET', `${path}?limit=100${cursor && `&cursor=${encodeURIComponent(cursor)}`}`)
    all.push(...page.data)
    cursor = page.hasMore ? page.cursor : ''
  } while (cursor)
  return all
}

async function everyByPage(ask, path, ...names) {
  const all = []
  for (let page = 1; ; page++) {
    const answer = await ask('GET', `${path}?page=${page}&pageSize=100`)
    all.push(...listIn(answer, ...names))
    if (page >= (answer.totalPages ?? 1)) return all
  }
}

function listIn(answer, ...names) {
  return Array.isArray(answer) ? answer : (names.map((name) => answer[name]).find(Array.isArray) ?? [])
}

/** Asks a service, and again after a while when it says that it was asked too often. */
function service(url, key) {
  return async function ask(method, path, body) {
    const isForm = body instanceof FormData
    const headers = {
      authorization: `Bearer ${key}`,
      ...(body && !isForm ? { 'content-type': 'application/json' } : {}),
    }
    for (;;) {
      const answer = await fetch(url.replace(/\/$/, '') + path, {
        method,
        headers,
        body: isForm ? body : JSON.stringify(body),
      })
      if (answer.status === 429) {
        await pause(1000 * Number(answer.headers.get('retry-after') ?? 5))
        continue
      }
      const text = await answer.text()
      if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text.slice(0, 500)}`)
      return text === '' ? {} : JSON.parse(text)
    }
  }
}
