import { activity } from './activity.ts'
import { anywhere } from './anywhere.ts'
import { home } from './home.ts'
import { refusals } from './refusals.ts'
import { shell } from './shell.ts'
import { signIn } from './sign-in.ts'
import { status } from './status.ts'

/** The words of sign-in, the frame, Home and what all pages share. All others come with the first page that needs them. */
export const first = { activity, anywhere, home, refusals, shell, signIn, status }
