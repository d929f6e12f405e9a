import { LONGEST_TIMER_MS } from '../core/values/longest-timer.ts'
import { runCommand } from './process/run-command.ts'

// a command ends when it is done: where nothing else kept the process, Node would end it in the middle, with 13
setInterval(() => {}, LONGEST_TIMER_MS)
process.exit(await runCommand(process.argv.slice(2)))
