import { account } from './account.ts'
import { advice } from './advice.ts'
import { analytics } from './analytics.ts'
import { assistant } from './assistant.ts'
import { campaigns } from './campaigns.ts'
import { checks } from './checks.ts'
import { connect } from './connect.ts'
import { contacts } from './contacts.ts'
import { deliverability } from './deliverability.ts'
import { domains } from './domains.ts'
import { editor } from './editor.ts'
import { figures } from './figures.ts'
import { filter } from './filter.ts'
import { first } from './first.ts'
import { forms } from './forms.ts'
import { inboxes } from './inboxes.ts'
import { mailServers } from './mail-servers.ts'
import { mails } from './mails.ts'
import { operator } from './operator.ts'
import { people } from './people.ts'
import { pieces } from './pieces.ts'
import { preview } from './preview.ts'
import { reasons } from './reasons.ts'
import { reports } from './reports.ts'
import { routes } from './routes.ts'
import { sandbox } from './sandbox.ts'
import { seeds } from './seeds.ts'
import { segments } from './segments.ts'
import { series } from './series.ts'
import { setUp } from './set-up.ts'
import { settings } from './settings.ts'
import { starters } from './starters.ts'
import { suppressions } from './suppressions.ts'
import { templates } from './templates.ts'
import { topics } from './topics.ts'
import { uploads } from './uploads.ts'
import { variants } from './variants.ts'
import { webhooks } from './webhooks.ts'
import { workflows } from './workflows.ts'

/** All words of the dashboard in English. */
export const en = {
  ...first,
  account,
  advice,
  analytics,
  assistant,
  campaigns,
  checks,
  connect,
  contacts,
  deliverability,
  domains,
  editor,
  figures,
  filter,
  forms,
  inboxes,
  mailServers,
  mails,
  operator,
  people,
  pieces,
  preview,
  reasons,
  reports,
  routes,
  sandbox,
  seeds,
  segments,
  series,
  setUp,
  settings,
  starters,
  suppressions,
  templates,
  topics,
  uploads,
  variants,
  webhooks,
  workflows,
}
