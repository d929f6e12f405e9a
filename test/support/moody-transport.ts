import { appendFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'
import { definePlugin } from '../../core/plugin/plugin.ts'

/** A transport for threads that does what a mail's subject says, and writes down each mail in a file. */
export const moody = definePlugin({
  name: 'moody',
  provides: ['transport'],
  inThread: { module: import.meta.url, export: 'moody' },
  open({ file }: { readonly file: string }, { log }) {
    return {
      transport: {
        concurrency: 4,
        async send(mail, signal) {
          const { subject, envelope } = mail
          const bytes = (await mail.raw()).length
          appendFileSync(file, `${JSON.stringify({ subject, to: envelope.to, bytes, isMain: isMainThread })}\n`)
          log.info('the moody transport sends', { subject })
          if (subject === 'exit') process.exit(1)
          if (subject === 'hang' && isMainThread) throw new Error('only a thread may hang')
          // holds the thread without using the processor
          if (subject === 'hang') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
          if (subject === 'wait')
            await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
          if (signal.aborted) return { outcome: 'refused', permanent: false, stage: 'connect', reason: 'given up' }
          if (subject === 'odd')
            return Object.assign({ outcome: 'accepted', response: 'odd' } as const, { more: () => 1 })
          return { outcome: 'accepted', response: 'fine' }
        },
      },
    }
  },
})

/** The same, told to threads by a name that its module does not export. */
export const lost = definePlugin({
  name: 'lost',
  provides: ['transport'],
  inThread: { module: import.meta.url, export: 'nowhere' },
  open: ({ file }: { readonly file: string }, kit) => moody({ file }).open(kit),
})
