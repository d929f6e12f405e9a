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
