import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { silentLog, systemClock } from 'mailwright'
import { blobStoreContract } from 'mailwright/contracts'
import { describe } from 'vitest'
import { folderBlobs } from '../folder-blobs.ts'

describe('blobs-folder', () => {
  blobStoreContract(async () => {
    const directory = await mkdtemp(join(tmpdir(), 'blobs-'))
    const { blobs } = await folderBlobs({ directory }).open({ log: silentLog, clock: systemClock })
    const close = () => rm(directory, { recursive: true })
    return { blobs, unplug: () => close().then(() => writeFile(directory, 'in the way')), close }
  })
})
