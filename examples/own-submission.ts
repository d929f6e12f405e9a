import { definePlugin } from 'mailwright'
import { submissionServer } from 'mailwright/plugins/submission-smtp'
import * as v from 'valibot'

/** Begins as the built-in listener. Put your own code into one method after another, and run the contract each time. */
export const ownSubmission = definePlugin({
  name: 'submission-own',
  provides: ['submission'],
  options: v.strictObject({ port: v.number() }),
  async open({ port }, kit) {
    const { submission } = await submissionServer({ host: '127.0.0.1', port }).open(kit)
    return {
      submission: {
        start: (desk) => submission.start(desk),
        check: () => submission.check(),
        stop: (graceMs) => submission.stop(graceMs),
      },
    }
  },
})
