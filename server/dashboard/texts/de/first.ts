import type { FirstTexts } from '../types.ts'
import { activity } from './activity.ts'
import { anywhere } from './anywhere.ts'
import { home } from './home.ts'
import { refusals } from './refusals.ts'
import { shell } from './shell.ts'
import { signIn } from './sign-in.ts'
import { status } from './status.ts'

/** The words that are loaded at once, in German. */
export const first: FirstTexts = { activity, anywhere, home, refusals, shell, signIn, status }
