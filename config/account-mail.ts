import { accountSender, type MaySend } from '../core/accounts/account-sender.ts'
import type { Project } from '../core/ports/store/projects.ts'
import { idOfName } from '../core/projects/projects.ts'
import { checkSettings } from '../core/start/check-settings.ts'
import type { LoadedConfig } from './load.ts'

/**
 * Why mails about accounts (to confirm an address, to set a new password, to invite) cannot be sent; undefined when they can.
 * Without `stored`, the projects are those that the configuration names.
 */
export function accountMailProblem(
  { engine, firstProject }: Pick<LoadedConfig, 'engine' | 'firstProject'>,
  stored?: readonly Project[],
): string | undefined {
  const { values } = checkSettings(engine)
  const given = values.projects.length > 0 ? values.projects : [{ ...firstProject, name: firstProject.name ?? '' }]
  const named = given.map(
    ({ id, name, from, trustedDomains = [], disabled }: ProjectGiven): MaySend => ({
      id: (id ?? idOfName(name)) as MaySend['id'],
      name,
      trustedDomains,
      ...(from ? { from } : {}),
      disabled: disabled === true,
    }),
  )
  const { problem } = accountSender<MaySend>(stored ?? named, values.accounts, values.publicUrl !== undefined)
  return problem === undefined ? undefined : `${problem}. ${MEND}`
}

type ProjectGiven = Partial<ReturnType<typeof checkSettings>['values']['projects'][number]> & { readonly name: string }

const MEND =
  'Passwords cannot be reset and people cannot be invited: give the project a sender at one of its trustedDomains (from, or PROJECT_FROM), or set accounts.from'
