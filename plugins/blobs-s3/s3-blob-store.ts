import { randomUUID } from 'node:crypto'
import type { GetObjectCommandOutput, S3Client } from '@aws-sdk/client-s3'
import type { BlobStore, BlobStream } from '../../core/ports/blob-store.ts'
import { requireKey } from '../kit/blobs/require-key.ts'

export type S3Sdk = typeof import('@aws-sdk/client-s3')

/** Where the objects are. */
export interface Place {
  readonly bucket: string
  readonly prefix: string
}

/** Keeps each blob as an object. S3 answers a write when it is durable, and shows an object whole or not at all. */
export class S3BlobStore implements BlobStore {
  readonly #sdk: S3Sdk
  readonly #client: S3Client
  readonly #place: Place
  /** The removals under way, by key. */
  readonly #removing = new Map<string, Promise<boolean>>()

  constructor(sdk: S3Sdk, client: S3Client, place: Place) {
    this.#sdk = sdk
    this.#client = client
    this.#place = place
  }

  async put(key: string, bytes: Uint8Array): Promise<void> {
    requireKey(key)
    await this.#put(key, bytes)
  }

  async get(key: string): Promise<Uint8Array | undefined> {
    return (await this.#find(key))?.Body?.transformToByteArray()
  }

  async stream(key: string): Promise<BlobStream | undefined> {
    const found = await this.#find(key)
    if (found?.Body === undefined) return undefined
    return { size: found.ContentLength ?? 0, bytes: found.Body.transformToWebStream() }
  }

  /** One at a time for each key, since S3 does not tell whether there was something to delete. */
  async remove(key: string): Promise<boolean> {
    requireKey(key)
    const removed = (this.#removing.get(key) ?? Promise.resolve()).then(() => this.#remove(key))
    const settled = removed.catch(() => false)
    this.#removing.set(key, settled)
    try {
      return await removed
    } finally {
      if (this.#removing.get(key) === settled) this.#removing.delete(key)
    }
  }

  /** No key of a blob has a plus. */
  async check(): Promise<void> {
    const name = `+check/${randomUUID()}`
    await this.#put(name, Buffer.from('Can anything be stored here?\n'))
    await this.#client.send(new this.#sdk.DeleteObjectCommand(this.#object(name)))
  }

  async #put(name: string, bytes: Uint8Array): Promise<void> {
    const content = { Body: bytes, ContentLength: bytes.length, ContentType: 'application/octet-stream' }
    await this.#client.send(new this.#sdk.PutObjectCommand({ ...this.#object(name), ...content }))
  }

  async #find(key: string): Promise<GetObjectCommandOutput | undefined> {
    requireKey(key)
    return ifThere(this.#client.send(new this.#sdk.GetObjectCommand(this.#object(key))))
  }

  async #remove(key: string): Promise<boolean> {
    const found = await ifThere(this.#client.send(new this.#sdk.HeadObjectCommand(this.#object(key))))
    if (found === undefined) return false
    await this.#client.send(new this.#sdk.DeleteObjectCommand(this.#object(key)))
    return true
  }

  #object(name: string): { readonly Bucket: string; readonly Key: string } {
    return { Bucket: this.#place.bucket, Key: `${this.#place.prefix}${name}` }
  }
}

/** Undefined when there is no such object. A missing bucket is an error. */
async function ifThere<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked
  } catch (error) {
    const name = error instanceof Error ? error.name : ''
    if (name === 'NoSuchKey' || name === 'NotFound') return undefined
    throw error
  }
}
