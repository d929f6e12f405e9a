import { Upload } from '../../../../core/ports/store/uploads.ts'
import { entityOf } from '../engine/entity-of.ts'

/** Uploaded images, one per row; their bytes are in the blob store. */
export const UploadRow = entityOf(Upload, {
  name: 'UploadRow',
  tableName: 'uploads',
  indexes: [
    { name: 'uploads_size', properties: ['projectId', 'size'] },
    { name: 'uploads_newest', properties: ['projectId', 'id'] },
  ],
  uniques: [{ name: 'uploads_hash', properties: ['projectId', 'hash'] }],
})
