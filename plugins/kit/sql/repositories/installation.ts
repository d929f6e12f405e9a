import type { InstallationRepository, InstallationSetting } from '../../../../core/ports/store/installation.ts'
import { Repository } from '../engine/repository.ts'
import { Rows } from '../engine/rows.ts'

/** The operator's settings. */
export class SqlInstallation extends Repository implements InstallationRepository {
  all(): Promise<readonly InstallationSetting[]> {
    return new Rows(this.access, this.tables.installation).list({})
  }

  put(setting: InstallationSetting): Promise<boolean> {
    const { name, version } = setting
    return this.access.write(async (session) => {
      const rows = new Rows(session, this.tables.installation)
      if (version === 1) return rows.add(setting)
      const stored = await rows.lock({ name })
      return stored?.version === version - 1 && rows.update(setting, ['name'])
    })
  }
}
