import { definePlugin } from '../../core/plugin/plugin.ts'
import { DkimIdentity } from './dkim-identity.ts'

/** A domain proves itself by a DKIM key of its own (RFC 6376), with which its mail is signed here. */
export const dkimIdentity = definePlugin({
  name: 'identity-dkim',
  provides: ['identity'],
  open: (_options: Record<never, never>, { clock }) => ({ identity: new DkimIdentity(clock) }),
})
