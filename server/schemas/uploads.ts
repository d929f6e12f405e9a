import * as v from 'valibot'
import { named } from '../../core/values/described.ts'
import { Count, Id, Time, Url } from './parts.ts'

export const UploadRecord = named(
  'Upload',
  v.object({
    id: Id,
    name: v.optional(v.string()),
    url: Url,
    contentType: v.string(),
    width: Count,
    height: Count,
    size: Count,
    createdAt: Time,
  }),
)
