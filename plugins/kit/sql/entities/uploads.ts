import { defineEntity, p } from '@mikro-orm/core'

/** Uploaded images, one per row; their bytes are in the blob store. */
export const UploadRow = defineEntity({
  name: 'UploadRow',
  tableName: 'uploads',
  properties: {
    id: p.uuid().primary(),
    projectId: p.uuid(),
    name: p.text().nullable(),
    hash: p.text(),
    contentType: p.text(),
    width: p.integer(),
    height: p.integer(),
    size: p.integer(),
    createdAt: p.datetime(3),
  },
  indexes: [
    { name: 'uploads_size', properties: ['projectId', 'size'] },
    { name: 'uploads_newest', properties: ['projectId', 'id'] },
  ],
  uniques: [{ name: 'uploads_hash', properties: ['projectId', 'hash'] }],
})
