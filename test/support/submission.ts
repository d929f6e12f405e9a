import * as v from 'valibot'
import { definePlugin } from '../../config/library.ts'
import { SubmissionSmtpOptions } from '../../plugins/submission-smtp/options.ts'
import { SubmissionListener } from '../../plugins/submission-smtp/submission-listener.ts'

/** A listener for mail that programs submit, whose port can be asked for. */
export function listenerPlugin(opened: (listener: SubmissionListener) => void) {
  return definePlugin({
    name: 'listener',
    provides: ['submission'],
    open: (_options: object, { log }) => {
      const submission = new SubmissionListener(v.parse(SubmissionSmtpOptions, { host: '127.0.0.1', port: 0 }), log)
      opened(submission)
      return { submission }
    },
  })()
}
