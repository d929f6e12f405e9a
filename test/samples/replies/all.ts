import type { Answer } from './answer.ts'
import { APPLE } from './apple.ts'
import { GMAIL } from './gmail.ts'
import { OTHERS } from './others.ts'
import { OUTLOOK } from './outlook.ts'
import { THUNDERBIRD } from './thunderbird.ts'

export const ANSWERS: readonly Answer[] = [...GMAIL, ...OUTLOOK, ...APPLE, ...THUNDERBIRD, ...OTHERS]
