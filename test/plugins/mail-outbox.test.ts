import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Log, LogFields } from '../../core/ports/log.ts'
import { outbox } from '../../plugins/mail-outbox/index.ts'
import { mailTransportContract } from '../contracts/mail-transport.ts'
import { outgoingMail } from '../contracts/outgoing-mail.ts'

let folder = ''
let lines: { readonly message: string; readonly fields: LogFields }[] = []

const log: Log = {
  debug() {},
  info: (message, fields = {}) => void lines.push({ message, fields }),
  warn() {},
  error() {},
  with: () => log,
}
const kit = { log, clock: { now: () => new Date() } }
const never = new AbortController().signal
const open = async (directory = join(folder, 'deep', 'outbox')) => (await outbox({ directory }).open(kit)).transport

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'outbox-'))
  lines = []
})
afterEach(() => rm(folder, { recursive: true, force: true }))

describe('the outbox as a transport', () => {
  mailTransportContract(async () => {
    const directory = join(folder, 'deep', 'outbox')
    return {
      transport: await open(),
      // the files say what was written, the log to whom
      received: async () => {
        const files = await Promise.all(lines.map(({ fields }) => readFile(String(fields.file))))
        return files.map((raw, i) => ({ to: String(lines[i]!.fields.to).split(', '), raw }))
      },
      refuses: undefined,
      postpones: undefined,
      unplug: async () => {
        await rm(directory, { recursive: true, force: true })
        await mkdir(join(folder, 'deep'), { recursive: true })
        await writeFile(directory, 'a file where the folder should be')
      },
      stall: undefined,
      fails: undefined,
      close: async () => {},
    }
  })
})

describe('the outbox', () => {
  const id = '0193a5b2-7c00-7abc-8def-0123456789ab'

  it('names the file after the time and the id of the mail, and names the file in its answer', async () => {
    const result = await (await open()).send(outgoingMail({ id }), never)
    const name = `20241208T095558Z-${id}.eml`
    expect(result).toEqual({
      outcome: 'accepted',
      id: name,
      response: `written to ${join(folder, 'deep', 'outbox', name)}`,
    })
    expect(await readdir(join(folder, 'deep', 'outbox'))).toEqual([name])
  })

  it('overwrites the file when the same mail is tried again', async () => {
    const transport = await open()
    await transport.send(outgoingMail({ id, message: Buffer.from('Subject: a long first try\r\n\r\n') }), never)
    await transport.send(outgoingMail({ id, message: Buffer.from('Subject: second\r\n\r\n') }), never)
    const files = await readdir(join(folder, 'deep', 'outbox'))
    expect(files).toHaveLength(1)
    expect(await readFile(join(folder, 'deep', 'outbox', files[0]!), 'utf8')).toBe('Subject: second\r\n\r\n')
  })

  it('keeps one whole file when the same mail is written several times at once', async () => {
    const transport = await open()
    const bodies = Array.from({ length: 8 }, (_, i) => Buffer.from(`${i}`.repeat(200_000 + i)))
    await Promise.all(bodies.map((message) => transport.send(outgoingMail({ id, message }), never)))
    const files = await readdir(join(folder, 'deep', 'outbox'))
    expect(files).toHaveLength(1)
    const written = await readFile(join(folder, 'deep', 'outbox', files[0]!))
    expect(bodies.some((body) => body.equals(written))).toBe(true)
  })

  it('logs one line with the recipients, the subject and the file', async () => {
    const envelope = { from: '', to: ['ada@example.com', 'bob@example.com'] }
    await (await open()).send(outgoingMail({ id, envelope, subject: 'Hello' }), never)
    expect(lines).toHaveLength(1)
    const { to, subject, file } = lines[0]!.fields
    expect({ to, subject, file: basename(String(file)) }).toEqual({
      to: 'ada@example.com, bob@example.com',
      subject: 'Hello',
      file: `20241208T095558Z-${id}.eml`,
    })
  })

  it.each([
    '../../escape',
    '..',
    '/etc/passwd',
    'a\0b',
    'CON:x',
    '.hidden',
    'x'.repeat(500),
    '',
  ])('writes inside its folder whatever the id is: %j', async (strange) => {
    const result = await (await open()).send(outgoingMail({ id: strange, messageId: '<a@sender.test>' }), never)
    expect(result.outcome).toBe('accepted')
    const files = await readdir(folder, { recursive: true })
    expect(files.filter((file) => file.endsWith('.eml'))).toEqual([
      expect.stringMatching(/^deep[\\/]outbox[\\/][a-z0-9]+\.eml$/),
    ])
  })

  it('makes its folder again when somebody cleared it away', async () => {
    const transport = await open()
    await transport.send(outgoingMail(), never)
    await rm(join(folder, 'deep'), { recursive: true })
    expect(await transport.send(outgoingMail(), never)).toMatchObject({ outcome: 'accepted' })
  })

  it('says for a folder it cannot write to which folder and why, and leaves no draft behind', async () => {
    const directory = join(folder, 'occupied')
    const transport = await open(directory)
    await rm(directory, { recursive: true })
    await writeFile(directory, '')
    await expect(open(directory)).rejects.toMatchObject({ code: 'CONFIG_INVALID', fields: [{ field: 'directory' }] })
    expect(await transport.send(outgoingMail(), never)).toEqual({
      outcome: 'refused',
      permanent: false,
      stage: 'data',
      reason: expect.stringMatching(/^cannot write to .*occupied: (EEXIST|ENOTDIR)/),
    })
  })

  it('leaves no draft behind when the file cannot be put in its place', async () => {
    await mkdir(join(folder, `20241208T095558Z-${id}.eml`, 'in the way'), { recursive: true })
    const transport = await open(folder)
    expect(await transport.send(outgoingMail({ id }), never)).toMatchObject({ outcome: 'refused', permanent: false })
    expect(await readdir(folder)).toEqual([`20241208T095558Z-${id}.eml`])
  })

  it('takes ./data/outbox without options, and refuses unknown ones', () => {
    expect(outbox().problems()).toEqual([])
    expect(outbox({ directory: '' }).problems()).toMatchObject([{ field: 'directory' }])
    expect(Reflect.apply(outbox, undefined, [{ folder: 'x' }]).problems()).toMatchObject([{ field: 'folder' }])
  })
})
