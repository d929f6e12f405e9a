import { definePlugin } from '../../core/plugin/plugin.ts'
import { DkimIdentity } from './dkim-identity.ts'

/** Proves a domain by its own DKIM key (RFC 6376), which signs its mail here. */
export const dkimIdentity = definePlugin({
  name: 'identity-dkim',
  provides: ['identity'],
  open: (_options: Record<never, never>, { clock }) => ({ identity: new DkimIdentity(clock) }),
})
