import * as v from 'valibot'
import { named } from '../../core/values/described.ts'
import { Count, Id } from './parts.ts'

export const UploadRecord = named(
  'Upload',
  v.object({ id: Id, url: v.string(), contentType: v.string(), width: Count, height: Count, size: Count }),
)
