import { defineEntity, p } from '@mikro-orm/core'

/** The file that a contact job works through; removed when the job has ended. */
export const ContactJobFileRow = defineEntity({
  name: 'ContactJobFileRow',
  tableName: 'contact_job_files',
  properties: {
    contactJobId: p.uuid().primary(),
    bytes: p.blob(),
  },
})

/** The rows of an import that were refused, as CSV, batch by batch; the first begins with the header. */
export const ContactJobRefusalRow = defineEntity({
  name: 'ContactJobRefusalRow',
  tableName: 'contact_job_refusals',
  properties: {
    contactJobId: p.uuid().primary(),
    /** The number of the first row in the file. */
    row: p.integer().primary(),
    bytes: p.blob(),
  },
})
