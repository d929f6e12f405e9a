import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { crc32 } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import { disk } from '../../plugins/blobs-disk/index.ts'
import { type HttpServer, listen } from '../../server/http/http-server.ts'
import {
  DISABLED_SECRET,
  expectEnvelope,
  OTHER_SECRET,
  ownProject,
  PUBLIC,
  SECRET,
  type TestApp,
  testApp,
} from '../support/app.ts'
import { fileForm, formOf } from '../support/contact-jobs.ts'
import { atEndOfFile } from '../support/end-of-file.ts'
import { QUICK } from '../support/matrix.ts'

const sample = (file: string) => readFileSync(new URL(`../samples/images/${file}`, import.meta.url))
const PNG = sample('still.png')
const MAX_BYTES = 100_000
const TOTAL_BYTES = 250_000

let test: TestApp
let http: HttpServer
const folder = mkdtempSync(join(tmpdir(), 'mailwright-uploads-'))

beforeAll(async () => {
  test = await testApp(
    QUICK,
    {},
    {
      blobs: disk({ directory: folder }),
      publicUrl: 'https://mail.example.net/at',
      uploads: { maxBytes: MAX_BYTES, totalBytes: TOTAL_BYTES },
    },
  )
  http = await listen(test.app, { host: '127.0.0.1', port: 0 }, test.engine.log)
  atEndOfFile(async () => {
    await http.close(0)
    rmSync(folder, { recursive: true, force: true })
  })
})

const upload = async (bytes: Uint8Array, key = SECRET, ask = test.ask) =>
  ask('POST', '/uploads/image', { key, ...(await fileForm(bytes)) })
const pathOf = (url: string) => url.replace('https://mail.example.net/at', '')
/** Over a socket, since what is asked here is what a browser gets. */
const get = async (path: string, headers: Record<string, string> = {}, method = 'GET') => {
  const asked = httpRequest(`${http.url}`, { path, method, headers })
  asked.end()
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  return { status: answer.statusCode, headers: answer.headers, bytes: await buffer(answer) }
}
/** A PNG of that many bytes, unlike any other. */
const pngOf = (size: number) => Buffer.concat([PNG, randomBytes(size - PNG.length)])

const SAFE = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "sandbox; default-src 'none'",
  'content-disposition': 'inline',
  'cache-control': 'public, max-age=31536000, immutable',
}

it('takes an image in the field image as well as file, but not in both', async () => {
  const send = async (part: string) => test.ask('POST', '/uploads/image', await fileForm(PNG, part))
  const named = await send('image')
  expect(named).toMatchObject({ status: 201, body: { url: (await send('file')).body.url } })
  expectEnvelope(await send('picture'), 422, 'VALIDATION_ERROR', { file: 'required' })
  const both = new FormData()
  for (const part of ['file', 'image']) both.append(part, new Blob([PNG]), 'a.png')
  expectEnvelope(await test.ask('POST', '/uploads/image', await formOf(both)), 422, 'VALIDATION_ERROR', {
    image: 'custom',
  })
})

describe('an uploaded image', () => {
  it.each([
    ['still.png', 'image/png', 'png'],
    ['animated.png', 'image/png', 'png'],
    ['progressive.jpg', 'image/jpeg', 'jpg'],
    ['animated.gif', 'image/gif', 'gif'],
    ['alpha.webp', 'image/webp', 'webp'],
  ])('is shown to everybody as it was: %s', async (file, contentType, ending) => {
    const bytes = sample(file)
    const { status, body } = await upload(bytes)
    const hash = createHash('sha256').update(bytes).digest('hex')
    const url = expect.stringMatching(
      new RegExp(`^https://mail\\.example\\.net/at/uploads/[0-9a-f-]{36}/${hash}\\.${ending}$`),
    )
    const id = expect.stringMatching(/^[0-9a-f-]{36}$/)
    expect({ status, body }).toEqual({
      status: 201,
      body: { id, url, contentType, width: 20, height: 10, size: bytes.length, createdAt: expect.any(String) },
    })
    const seen = await get(pathOf(body.url))
    expect(seen.bytes.equals(bytes)).toBe(true)
    const length = String(bytes.length)
    expect(seen.headers).toMatchObject({ ...SAFE, 'content-type': contentType, 'content-length': length })
    expect(seen.status).toBe(200)
    const head = await get(pathOf(body.url), {}, 'HEAD')
    expect({ status: head.status, bytes: head.bytes.length }).toEqual({ status: 200, bytes: 0 })
    expect(head.headers).toMatchObject({ ...SAFE, 'content-type': contentType, 'content-length': length })
    const again = await get(pathOf(body.url), { 'if-none-match': `W/"x", ${seen.headers.etag}` })
    expect({ status: again.status, bytes: again.bytes.length }).toEqual({ status: 304, bytes: 0 })
    expect(again.headers).toMatchObject({ etag: seen.headers.etag, 'cache-control': SAFE['cache-control'] })
  })

  it('has one address however often it comes, and another one in another project', async () => {
    const bytes = pngOf(1000)
    const answers = await Promise.all(Array.from({ length: 8 }, () => upload(bytes)))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]))
    expect(new Set(answers.map(({ body }) => `${body.id} ${body.url}`)).size).toBe(1)
    const theirs = await upload(bytes, OTHER_SECRET)
    expect(theirs.body.url).not.toBe(answers[0]!.body.url)
    expect((await get(pathOf(theirs.body.url))).bytes.equals(bytes)).toBe(true)
  })

  it.each([
    [
      'a GIF that is a script',
      Buffer.concat([sample('still.gif'), Buffer.from('=1;alert(document.domain)//')]),
      'image/gif',
    ],
    ['a GIF whose comment is a page', commented('<script>alert(1)</script>'), 'image/gif'],
    ['a PNG with a page behind it', Buffer.concat([PNG, Buffer.from('<html><script>alert(1)</script>')]), 'image/png'],
    ['a JPEG with an archive behind it', Buffer.concat([sample('baseline.jpg'), zip()]), 'image/jpeg'],
    ['a WebP with a PDF behind it', Buffer.concat([sample('lossy.webp'), Buffer.from('%PDF-1.7\n')]), 'image/webp'],
  ])('is an image and nothing else to a browser: %s', async (_what, bytes, contentType) => {
    const { status, body } = await upload(bytes)
    expect(status).toBe(201)
    const seen = await get(pathOf(body.url))
    expect(seen.headers).toMatchObject({ ...SAFE, 'content-type': contentType })
    // no other ending, and no wish of the reader, makes another type of it
    const wish = { accept: 'text/html', 'sec-fetch-dest': 'script' }
    expect((await get(pathOf(body.url), wish)).headers).toMatchObject({ ...SAFE, 'content-type': contentType })
    for (const ending of ['html', 'js', 'svg', 'php', 'PNG', 'png.html', contentType === 'image/gif' ? 'png' : 'gif']) {
      expect((await get(pathOf(body.url).replace(/\.\w+$/, `.${ending}`))).status).toBe(404)
    }
  })

  it.each<[string, Uint8Array, RegExp]>([
    ['SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'), /SVG, HTML or XML/],
    ['SVG behind a mark and blanks', Buffer.from('\ufeff \n<svg onload="alert(1)"/>'), /SVG, HTML or XML/],
    ['SVG with an XML head', Buffer.from('<?xml version="1.0"?><svg/>'), /SVG, HTML or XML/],
    ['compressed SVG', Buffer.from('1f8b0800000000000003', 'hex'), /application\/gzip/],
    ['HTML', Buffer.from('<!doctype html><script>alert(1)</script>'), /SVG, HTML or XML/],
    ['PDF', Buffer.from('%PDF-1.7\n1 0 obj'), /application\/pdf/],
    ['AVIF', sample('other.avif'), /image\/avif/],
    ['BMP', sample('other.bmp'), /image\/bmp/],
    ['TIFF', sample('other.tiff'), /image\/tiff/],
    ['ICO', sample('other.ico'), /image\/x-icon/],
    ['a script', Buffer.from('alert(1)'), /unknown type/],
    ['zeros', Buffer.alloc(1000), /unknown type/],
    ['a page that mentions GIF89a', Buffer.from('<!--GIF89a-->'), /SVG, HTML or XML/],
  ])('is not %s', async (_what, bytes, message) => {
    const answer = await upload(bytes)
    expectEnvelope(answer, 415, 'UNSUPPORTED_MEDIA_TYPE')
    expect(answer.body.message).toMatch(message)
    expect(answer.body.error.suggestion).toEqual(expect.any(String))
  })

  it.each<[string, Uint8Array, string, string]>([
    ['empty', Buffer.alloc(0), 'too_small', 'is empty'],
    ['a PNG cut off', PNG.subarray(0, 60), 'custom', 'ends too early'],
    ['a GIF of its first bytes', Buffer.from('GIF89a'), 'custom', 'ends too early'],
    ['a PNG whose header was changed', changed(PNG, 16, 0xff), 'custom', 'damaged header'],
    ['a bomb: 40,000 × 40,000 pixels in a few bytes', bomb(40_000, 40_000), 'too_big', '40000 × 40000 pixels'],
    ['one pixel too many', bomb(25_000_001, 1), 'too_big', 'at most 25000000'],
    ['without pixels', bomb(0, 10), 'custom', 'no pixels'],
  ])('is refused when it is %s', async (_what, bytes, code, message) => {
    const answer = await upload(bytes)
    expectEnvelope(answer, 422, 'VALIDATION_ERROR', { file: code })
    expect(answer.body.message).toContain(message)
  })

  it('may have as many bytes as the limit says and no more, however it is sent', async () => {
    const own = await ownProject(test)
    const asked = async (bytes: Uint8Array) => own.ask('POST', '/uploads/image', await fileForm(bytes))
    expect((await asked(pngOf(MAX_BYTES))).status).toBe(201)
    const over = await asked(pngOf(MAX_BYTES + 1))
    expectEnvelope(over, 413, 'PAYLOAD_TOO_LARGE')
    expect(over.body.message).toContain(`${MAX_BYTES}`)
    expectEnvelope(await asked(pngOf(MAX_BYTES * 3)), 413, 'PAYLOAD_TOO_LARGE')
    expect((await asked(bomb(1000, 1000))).status).toBe(201)
  })

  it('is refused when the project has too much already, and one that is there is not counted again', async () => {
    const own = await ownProject(test)
    const asked = async (bytes: Uint8Array) => own.ask('POST', '/uploads/image', await fileForm(bytes))
    const images = Array.from({ length: 6 }, () => pngOf(60_000))
    const answers = await Promise.all(images.map(asked))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, 201, 409, 409])
    const refused = answers.find(({ status }) => status === 409)!
    expectEnvelope(refused, 409, 'CONFLICT')
    expect(refused.body.message).toBe('The images of a project may have 250000 bytes together; 10000 are left.')
    expect((await asked(images[answers.findIndex(({ status }) => status === 201)]!)).status).toBe(201)
    expect((await asked(pngOf(10_000))).status).toBe(201)
    expect((await asked(pngOf(200))).status).toBe(409)
    expect((await upload(pngOf(200))).status).toBe(201)
  })

  it('needs a key that may do everything, a project that is enabled, and a form with one file', async () => {
    expectEnvelope(await upload(PNG, DISABLED_SECRET), 403, 'PROJECT_DISABLED')
    expectEnvelope(await upload(PNG, PUBLIC), 403, 'FORBIDDEN')
    const json = await test.ask('POST', '/uploads/image', { json: { file: PNG.toString('base64') } })
    expectEnvelope(json, 415, 'UNSUPPORTED_MEDIA_TYPE')
    const named = await test.ask('POST', '/uploads/image', await fileForm(PNG, 'other'))
    expectEnvelope(named, 422, 'VALIDATION_ERROR', { file: 'required' })
    const text = new FormData()
    text.append('file', PNG.toString('latin1'))
    const twice = new FormData()
    for (let i = 0; i < 2; i++) twice.append('file', new Blob([new Uint8Array(PNG)]), 'a.png')
    for (const form of [text, twice]) {
      const answer = await test.ask('POST', '/uploads/image', await formOf(form))
      expectEnvelope(answer, 422, 'VALIDATION_ERROR', { file: 'invalid_type' })
    }
  })
})

describe('the list of images', () => {
  it('has those of the project, newest first, with their names, in pages', async () => {
    const own = await ownProject(test)
    const named = async (name: string) => {
      const form = new FormData()
      form.append('file', new Blob([new Uint8Array(pngOf(300))]), 'a.png')
      form.append('name', name)
      return own.ask('POST', '/uploads/image', await formOf(form))
    }
    const images = []
    for (const name of [' logo.png ', 'n'.repeat(255), '']) images.push((await named(name)).body)
    expect(images.map(({ name }) => name)).toEqual(['logo.png', 'n'.repeat(255), undefined])
    expectEnvelope(await named('n'.repeat(256)), 422, 'VALIDATION_ERROR', { name: 'too_big' })
    const first = await own.ask('GET', '/uploads?limit=2')
    expect(first.body).toMatchObject({ data: [images[2], images[1]], hasMore: true, total: 3 })
    const second = await own.ask('GET', `/uploads?limit=2&cursor=${first.body.cursor}`)
    expect(second.body).toEqual({ data: [images[0]], cursor: null, hasMore: false, total: 0 })
  })

  it('loses an image that is deleted, with its bytes, until it is uploaded again', async () => {
    const bytes = pngOf(400)
    const [{ body }, theirs] = [await upload(bytes), await upload(bytes, OTHER_SECRET)]
    expectEnvelope(await test.ask('DELETE', `/uploads/${body.id}`, { key: OTHER_SECRET }), 404, 'RESOURCE_NOT_FOUND')
    expect((await test.ask('DELETE', `/uploads/${body.id}`)).status).toBe(204)
    expect((await get(pathOf(body.url))).status).toBe(404)
    expect((await get(pathOf(theirs.body.url))).status).toBe(200)
    expect((await test.ask('GET', '/uploads?limit=100')).body.data).not.toContainEqual(body)
    const [, , project = '', file = ''] = pathOf(body.url).split('/')
    expect(existsSync(join(folder, 'uploads+', `${project}+`, file.slice(0, 64)))).toBe(false)
    for (const gone of [body.id, 'image']) {
      expectEnvelope(await test.ask('DELETE', `/uploads/${gone}`), 404, 'RESOURCE_NOT_FOUND')
    }
    expect((await upload(bytes)).body.url).toBe(body.url)
    expect((await get(pathOf(body.url))).bytes.equals(bytes)).toBe(true)
  })
})

describe('a path below /uploads', () => {
  it('leads to images alone: no trick reaches another file or another project’s image', async () => {
    const { body } = await upload(PNG)
    const [, , project = '', file = ''] = pathOf(body.url).split('/')
    const other = (await test.engine.projects.list()).find(({ name }) => name === 'Other')!
    const secret = pngOf(500)
    const theirs = await upload(secret, OTHER_SECRET)
    const [, , , theirFile = ''] = pathOf(theirs.body.url).split('/')
    writeFileSync(join(folder, 'secret.png'), PNG)
    const tricks = [
      ...[`${other.id}/${file}`, `${project}/${theirFile}`, `${project.toUpperCase()}/${file}`],
      ...[
        'secret.png',
        '../secret.png',
        '..%2fsecret.png',
        `${project}/../../secret.png`,
        `${project}/..%2f..%2fsecret.png`,
      ],
      ...[`${project}/%2e%2e/%2e%2e/secret.png`, `${project}/..%5c..%5csecret.png`, `${project}/....//secret.png`],
      ...[
        `${project}/${file}%00`,
        `${project}/${file}%00.html`,
        `${project}/%00`,
        `${project}/${file}%20`,
        `${project}/${file};a`,
      ],
      ...[
        `${project}/${file}%0d%0aX: y`.replace(' ', ''),
        `${project}/%ff%fe`,
        `${project}/%`,
        `${project}/%zz`,
        `${project}/`,
      ],
      ...[
        `${project}/${file.replace('.', '%2e')}%2f..`,
        `${project}%2f${file}`,
        `${project}/${file.replace(/\..*/, '')}`,
      ],
      ...[
        '',
        '/',
        'image',
        `image/${file}`,
        `${project}/image`,
        `${project}/${'a'.repeat(8000)}.png`,
        `${'a'.repeat(8000)}/${file}`,
      ],
      ...[`${project}/+drafts`, `+drafts/${file}`, `${project}/constructor`, `__proto__/${file}`],
    ]
    for (const trick of tricks) {
      const { status, bytes } = await get(`/uploads/${trick}`)
      // the list needs a key, and a single part is the id of DELETE
      expect({ trick, isRefused: [401, 404, 405].includes(status ?? 0) }).toEqual({ trick, isRefused: true })
      expect(bytes.includes(PNG)).toBe(false)
      expect(bytes.includes(secret)).toBe(false)
    }
    expect((await get(pathOf(body.url))).status).toBe(200)
  })

  it('is 404 when the blob store has lost the image, which is mended by uploading it again', async () => {
    const bytes = pngOf(700)
    const { body } = await upload(bytes)
    const [, , project = '', file = ''] = pathOf(body.url).split('/')
    const kept = join(folder, 'uploads+', `${project}+`, file.slice(0, 64))
    expect(readFileSync(kept).equals(bytes)).toBe(true)
    rmSync(kept)
    expect((await get(pathOf(body.url))).status).toBe(404)
    expect((await upload(bytes)).body).toEqual(body)
    expect(existsSync(kept)).toBe(true)
    expect((await get(pathOf(body.url))).bytes.equals(bytes)).toBe(true)
  })

  it('is not answered 201 when the bytes could not be kept', async () => {
    const publicUrl = 'https://mail.example.com'
    const own = await testApp(QUICK, {}, { publicUrl, blobs: disk({ directory: join(folder, 'gone') }) })
    expect((await own.ask('POST', '/uploads/image', await fileForm(PNG))).status).toBe(201)
    rmSync(join(folder, 'gone'), { recursive: true })
    const form = await fileForm(PNG)
    const answer = await own.ask('POST', '/uploads/image', form)
    expectEnvelope(answer, 503, 'SERVICE_UNAVAILABLE')
    expect(own.lines.some(({ level }) => level === 'error')).toBe(true)
  })
})

/** A small PNG whose header is sound and states this size. */
function bomb(width: number, height: number): Buffer {
  const made = Buffer.from(PNG)
  made.writeUInt32BE(width, 16)
  made.writeUInt32BE(height, 20)
  made.writeUInt32BE(crc32(made.subarray(12, 29)), 29)
  return made
}

function changed(bytes: Buffer, at: number, to: number): Buffer {
  const made = Buffer.from(bytes)
  made[at] = to
  return made
}

/** A GIF with a comment before its picture. */
function commented(text: string): Buffer {
  const gif = sample('still.gif')
  const picture = gif.indexOf(Buffer.from([0x2c, 0, 0, 0, 0]))
  const comment = Buffer.concat([Buffer.from([0x21, 0xfe, text.length]), Buffer.from(text), Buffer.from([0])])
  return Buffer.concat([gif.subarray(0, picture), comment, gif.subarray(picture)])
}

/** An empty archive. */
function zip(): Buffer {
  return Buffer.concat([Buffer.from('PK\u0005\u0006', 'latin1'), Buffer.alloc(18)])
}
