import { EngineError } from '../../core/errors.ts'
import { type Caller, requireArea } from '../../core/projects/caller.ts'
import type { KeyRoute, RouteRules } from './route.ts'

/**
 * Decides whether a caller may call a route: every request with a key passes here, and every one of a member for a
 * project. What a route needs is `areaOf` in `route.ts`, what a role may do is in `core/projects/roles.ts`. Throws
 * EngineError `FORBIDDEN` when a public key asks for something only secret keys may do, or the caller may not do what belongs to the area.
 */
export function requireAccess(caller: Caller, access: KeyRoute['access'], { area }: RouteRules): void {
  if (caller.kind === 'public' && access !== 'public') {
    throw new EngineError('FORBIDDEN', 'A public key can only track events.', {
      suggestion: 'Use a secret key (sk_…), and keep it on your server.',
    })
  }
  if (area !== 'any') requireArea(caller, area)
}
