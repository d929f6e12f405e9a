import type { Queue } from '../../core/ports/queue.ts'
import { inProcess } from '../../plugins/queue-in-process/index.ts'
import { queueContract } from '../contracts/queue.ts'
import { KIT } from './kit.ts'
import { polled } from './polling-queue.ts'
import { right, wrong } from './wrong.ts'

/** The queue of one process, changed. */
const changed = (change: (queue: Queue) => Partial<Queue>, withinMs = 1500) =>
  queueContract(
    async () => {
      const { queue } = await inProcess().open(KIT)
      const same: Queue = {
        exclusive: true,
        ring: (topic, about) => queue.ring(topic, about),
        listen: (topics, wake) => queue.listen(topics, wake),
        check: () => queue.check(),
        stop: () => queue.stop(),
      }
      return { queue: Object.assign(same, change(queue)), close: () => queue.stop() }
    },
    { withinMs },
  )

right(() => changed(() => ({}), 8000))

right(() => polled({}, 8000))
wrong('moves an earlier ring back', 'does not put off an earlier one for soon', () => polled({ movesBack: true }))
wrong('drops rings that nobody listens to', 'is kept for a topic that nobody listens to yet', () =>
  polled({ drops: true }),
)
wrong('forgets lanes', 'with its lane', () =>
  changed((queue) => ({ ring: (topic, about = {}) => queue.ring(topic, about.at ? { at: about.at } : {}) })),
)
wrong('rings after it has stopped', 'refuses rings', () =>
  changed((queue) => ({ ring: (topic, about) => queue.ring(topic, about).catch(() => {}) })),
)
wrong('claims to reach other processes', 'that does not call itself exclusive', () =>
  changed(() => ({ exclusive: false })),
)
