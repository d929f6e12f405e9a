import { createHash } from 'node:crypto'
import * as v from 'valibot'
import { inject, injectable } from '../di.ts'
import { EngineError, invalidField } from '../errors.ts'
import { Kit } from '../kit.ts'
import { BlobStore, type BlobStream } from '../ports/blob-store.ts'
import type { Project } from '../ports/store/projects.ts'
import { Store } from '../ports/store/store.ts'
import type { Upload } from '../ports/store/uploads.ts'
import { requireEnabled } from '../projects/project.ts'
import { isId } from '../values/id.ts'
import type { InputOf, UntrustedInput } from '../values/input.ts'
import { type CursorInput, CursorQuery, type Page, pageOf, pageRequest } from '../values/page.ts'
import { parse, say } from '../values/parse.ts'
import { asProjectId } from '../values/project-id.ts'
import { uploadKey } from '../values/upload-key.ts'
import { IMAGE_TYPES, ImageProblem, type ImageSize, type ImageType, imageSizeOf } from './image-shape.ts'

/** The pixels of an image, width times height: a photo of 25 megapixels is larger than any mail shows. */
const MAX_PIXELS = 25_000_000
/** How many images a project may have: their sizes are added up with each new one. */
const MAX_IMAGES = 20_000
/** The type is looked for in the first bytes alone: some formats make the search read on and on. */
const HEAD_BYTES = 4100
/** The path of an image: its project, the hash of its bytes, and the ending of its type. */
const FILE = /^([0-9a-f]{64})\.(png|jpg|gif|webp)$/
const ENDINGS: Readonly<Record<ImageType, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
}

const Image = v.instance(Uint8Array, say('invalid_type', 'must be one file, with a file name'))

/** The form of `POST /uploads/image`. */
export const UploadImage = v.object({
  /** The image: PNG, JPEG, GIF or WebP. */
  file: v.optional(Image),
  /** Another name of `file`. */
  image: v.optional(Image),
  /** The name for lists, such as that of the file: up to 255 characters. */
  name: v.optional(v.pipe(v.string(), v.trim(), v.maxLength(255))),
})

/** An image to upload. */
export interface UploadImageInput extends InputOf<typeof UploadImage> {}

/** An uploaded image, with the address where everybody can see it. */
export interface UploadedImage extends Upload {
  /** Where it can be seen, by anyone. */
  readonly url: string
}

/** Images for mails, kept under the hash of their bytes: the same bytes have one address in a project. */
@injectable()
export class Uploads {
  constructor(
    @inject(Store) private readonly store: Store,
    @inject(BlobStore) private readonly blobs: BlobStore,
    @inject(Kit) private readonly kit: Kit,
  ) {}

  /** How many bytes an image may have. */
  get maxBytes(): number {
    return this.kit.settings.uploads.maxBytes
  }

  /**
   * Stores an image: `{ file }`, or `{ image }`, with its bytes, whose beginning gives the type, whatever the sender calls it. Answers when
   * it is kept permanently. Without `publicUrl`, its `url` is a path. Throws EngineError `PAYLOAD_TOO_LARGE`,
   * `UNSUPPORTED_MEDIA_TYPE` for anything that mail clients do not show as an image, `VALIDATION_ERROR` on `file` for one
   * that is damaged or has too many pixels, `CONFLICT` when the project's images are too large together,
   * `PROJECT_DISABLED`, `SERVICE_UNAVAILABLE` when it cannot be stored now.
   */
  async add(project: Project, input: UploadImageInput | UntrustedInput): Promise<UploadedImage> {
    requireEnabled(project)
    const { file: given, image, name } = parse(UploadImage, input)
    if (given && image)
      throw invalidField('image', 'custom', 'is another name of file: send the image in one of the two')
    const file = given ?? image
    if (file === undefined) throw invalidField('file', 'required', 'is required')
    if (file.length === 0) throw invalidField('file', 'too_small', 'is empty')
    if (file.length > this.maxBytes) {
      throw new EngineError('PAYLOAD_TOO_LARGE', `The image has ${file.length} bytes; it may have ${this.maxBytes}.`)
    }
    const contentType = await typeOf(file)
    const { width, height } = this.#sizeOf(file, contentType)
    const wanted: Upload = {
      id: this.kit.newId(),
      projectId: project.id,
      ...(name ? { name } : {}),
      hash: createHash('sha256').update(file).digest('hex'),
      contentType,
      width,
      height,
      size: file.length,
      createdAt: this.kit.now(),
    }
    // the row first, since it counts what the project has; the address is given out only after the bytes are kept
    const upload = await this.#claim(wanted)
    try {
      await this.blobs.put(uploadKey(upload.projectId, upload.hash), file)
    } catch (cause) {
      throw new EngineError('SERVICE_UNAVAILABLE', 'The image could not be stored.', { cause })
    }
    return this.#withUrl(upload)
  }

  /** One page of the project's images, newest first. */
  async list(project: Project, query: CursorInput | UntrustedInput = {}): Promise<Page<UploadedImage>> {
    const asked = parse(CursorQuery, query)
    const list = { projectId: project.id, name: 'uploads' }
    const page = pageRequest(list, asked)
    const rows = await this.store.uploads.page(project.id, page)
    const total = page.after ? 0 : (await this.store.uploads.total(project.id)).count
    const images = rows.map((upload) => this.#withUrl(upload))
    return pageOf(list, images, asked.limit, total, ({ id }) => ({ value: '', id }))
  }

  /**
   * Removes an image: mails that show it no longer do, also those already sent. Throws EngineError
   * `RESOURCE_NOT_FOUND`, `PROJECT_DISABLED`, `SERVICE_UNAVAILABLE` when it cannot be removed now.
   */
  async remove(project: Project, id: string): Promise<void> {
    requireEnabled(project)
    const upload = isId(id) ? await this.store.uploads.byId(project.id, id) : undefined
    if (upload === undefined) throw new EngineError('RESOURCE_NOT_FOUND', 'There is no such image.')
    // the bytes first: what is interrupted between the two can be repeated, and no bytes are left behind
    try {
      await this.blobs.remove(uploadKey(upload.projectId, upload.hash))
    } catch (cause) {
      throw new EngineError('SERVICE_UNAVAILABLE', 'The image could not be removed.', { cause })
    }
    await this.store.uploads.remove(upload.projectId, upload.hash)
  }

  /** The image at `/uploads/{projectId}/{file}`; undefined when there is none. */
  async find(projectId: string, file: string): Promise<Upload | undefined> {
    const [, hash] = FILE.exec(file) ?? []
    const id = asProjectId(projectId)
    if (id === undefined || hash === undefined) return undefined
    const upload = await this.store.uploads.find(id, hash)
    return upload && fileOf(upload) === file ? upload : undefined
  }

  /** The bytes of an image, piece by piece; undefined when the blob store has lost them. */
  bytes(upload: Upload): Promise<BlobStream | undefined> {
    return this.blobs.stream(uploadKey(upload.projectId, upload.hash))
  }

  #withUrl(upload: Upload): UploadedImage {
    return { ...upload, url: `${this.kit.settings.publicUrl ?? ''}/uploads/${upload.projectId}/${fileOf(upload)}` }
  }

  #sizeOf(file: Uint8Array, type: ImageType): ImageSize {
    const size = soundSizeOf(file, type)
    if (size.width < 1 || size.height < 1) throw invalidField('file', 'custom', 'The image has no pixels.')
    if (size.width * size.height <= MAX_PIXELS) return size
    const message = `has ${size.width} × ${size.height} pixels; at most ${MAX_PIXELS} are allowed`
    throw invalidField('file', 'too_big', message)
  }

  /** The row of these bytes, which may be there already. */
  #claim(wanted: Upload): Promise<Upload> {
    const { totalBytes } = this.kit.settings.uploads
    return this.store.transaction(async (tx) => {
      // so that two uploads at the same time count each other
      await tx.projects.lock(wanted.projectId)
      const known = await tx.uploads.find(wanted.projectId, wanted.hash)
      if (known) return known
      const { count, bytes } = await tx.uploads.total(wanted.projectId)
      if (count >= MAX_IMAGES) throw new EngineError('CONFLICT', `A project has at most ${MAX_IMAGES} images.`)
      if (bytes + wanted.size > totalBytes) {
        const message = `The images of a project may have ${totalBytes} bytes together; ${Math.max(0, totalBytes - bytes)} are left.`
        const suggestion = 'Ask the operator of this server to raise uploads.totalBytes.'
        throw new EngineError('CONFLICT', message, { suggestion })
      }
      await tx.uploads.insert(wanted)
      return wanted
    })
  }
}

function soundSizeOf(file: Uint8Array, type: ImageType): ImageSize {
  try {
    return imageSizeOf(file, type)
  } catch (error) {
    if (error instanceof ImageProblem) throw invalidField('file', 'custom', `The image ${error.message}.`)
    throw error
  }
}

/** An animated PNG is a PNG. */
async function typeOf(file: Uint8Array): Promise<ImageType> {
  // loaded by the first upload: its fifty modules would delay every start
  const { fileTypeFromBuffer } = await import('file-type')
  const found = (await fileTypeFromBuffer(file.subarray(0, HEAD_BYTES)))?.mime
  const mime = found === 'image/apng' ? 'image/png' : found
  const type = IMAGE_TYPES.find((each) => each === mime)
  if (type !== undefined) return type
  const isText = /^[\s\ufeff]*</.test(Buffer.from(file.subarray(0, 256)).toString())
  const what = isText ? 'The file is SVG, HTML or XML' : `The file is ${mime ?? 'of an unknown type'}`
  throw new EngineError('UNSUPPORTED_MEDIA_TYPE', `${what}; an image must be PNG, JPEG, GIF or WebP.`, {
    suggestion: isText
      ? 'Make a PNG of it: SVG can carry scripts, and most mail clients do not show it.'
      : 'Convert it to PNG or JPEG, which every mail client shows.',
  })
}

function fileOf({ hash, contentType }: Upload): string {
  return `${hash}.${ENDINGS[contentType as ImageType]}`
}
