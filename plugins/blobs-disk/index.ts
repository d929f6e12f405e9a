import { resolve } from 'node:path'
import * as v from 'valibot'
import { definePlugin } from '../../core/plugin/plugin.ts'
import { warnOfOpenFiles } from '../kit/files/private-files.ts'
import { DiskBlobStore } from './disk-blob-store.ts'

/** The options of `disk`. */
export const DiskOptions = v.strictObject({
  /** Where the files are; a relative path starts at the working directory. Default `./data/uploads`. */
  directory: v.optional(v.pipe(v.string(), v.nonEmpty('is required')), './data/uploads'),
})

/**
 * Keeps blobs as files below one directory, which is made with the first of them if it is missing. Several processes may share the directory.
 * The blob `a/b/c.png` is the file `a+/b+/c.png`: no key contains a plus, so the directory for keys below `a` never
 * clashes with a blob called `a`.
 */
export const disk = definePlugin({
  name: 'blobs-disk',
  provides: ['blobs'],
  options: DiskOptions,
  async open({ directory }, { log }) {
    const folder = resolve(directory)
    const blobs = await DiskBlobStore.open(folder)
    await warnOfOpenFiles(log, [folder])
    return { blobs }
  },
})
