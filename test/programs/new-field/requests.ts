import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { copyData } from '../../../config/copy-data.ts'
import { readDatabaseUrl } from '../../../config/database-url.ts'
import { postgres } from '../../../plugins/store-postgres/index.ts'
import { sqlite } from '../../../plugins/store-sqlite/index.ts'
import { testApp } from '../../support/app.ts'
import { bareDatabase } from '../../support/fresh-database.ts'

// Run by `new-field.test.ts`, in a copy of the tree whose topics have a note.

it('is in requests, answers, lists and the API document, and goes from SQLite to PostgreSQL', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mailwright-field-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'source.db')
  const { ask, engine } = await testApp({ store: () => sqlite({ file }) })

  const made = await ask('POST', '/topics', { json: { name: 'News', note: 'first' } })
  expect([made.status, made.body.note, made.headers.get('mailwright-warning')]).toEqual([201, 'first', null])
  const path = `/topics/${made.body.id}`
  expect((await ask('PATCH', path, { json: { note: null } })).body).not.toHaveProperty('note')
  expect((await ask('PATCH', path, { json: { note: 'second' } })).body.note).toBe('second')
  expect((await ask('PATCH', path, { json: { note: 'x'.repeat(501) } })).status).toBe(422)
  expect((await ask('GET', path)).body.note).toBe('second')
  expect((await ask('GET', '/topics')).body.data).toMatchObject([{ note: 'second' }])

  const { paths, components } = (await ask('GET', '/openapi.json', { key: null })).body
  const body = paths['/topics'].post.requestBody.content['application/json'].schema
  for (const { note } of [body.properties, components.schemas.Topic.properties])
    expect(note).toMatchObject({ description: 'A note for the team.' })

  await engine.stop()
  const url = await bareDatabase()
  const [from, to] = [file, url].map(readDatabaseUrl)
  if (!from || 'problem' in from || !to || 'problem' in to) throw new Error('no database')
  const copied = await copyData(from, to, { signal: new AbortController().signal, onProgress: () => undefined })
  expect(copied.outcome).toBe('copied')
  const there = await testApp({ store: () => postgres({ url }) })
  expect((await there.ask('GET', path)).body.note).toBe('second')
})
