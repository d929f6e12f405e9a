import type { Command } from 'commander'
import { programName } from '../../core/values/program-name.ts'

const ID = '01a20946-e313-7000-9fdb-53b7c6c39f98'

/** One or two for each command, by its words behind `mailwright`. */
const EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  '': ['mailwright', 'mailwright doctor'],
  serve: ['mailwright serve --port 8080', 'mailwright serve --config mailwright.config.yaml --role api'],
  init: [
    'mailwright init',
    'mailwright init --name Acme --domain acme.example --public-url https://mail.acme.example --smtp smtp://smtp.acme.example:587',
  ],
  check: ['mailwright check', 'mailwright check --config mailwright.config.yaml --json'],
  doctor: [
    'mailwright doctor --test-mail --url https://mail.example.com',
    `mailwright doctor --json | jq -r '.[] | select(.state == "problem") | .says'`,
  ],
  route: ['mailwright route explain --from news@example.com --to ada@example.org --class campaign'],
  'route explain': [
    'mailwright route explain --from news@example.com --to ada@example.org --class campaign',
    `mailwright route explain --mail ${ID} --json`,
  ],
  migrate: ['mailwright migrate status', 'mailwright migrate up'],
  'migrate status': ['mailwright migrate status', `mailwright migrate status --json | jq '.pending | length'`],
  'migrate up': ['mailwright migrate up'],
  projects: ['mailwright projects list'],
  'projects list': ['mailwright projects list', `mailwright projects list --json | jq -r '.[].id'`],
  'projects enable': ['mailwright projects enable --project Acme'],
  'projects disable': ['mailwright projects disable --project Acme'],
  keys: ['mailwright keys list', 'mailwright keys create shop --scope send track'],
  'keys list': [
    'mailwright keys list --project Acme',
    `mailwright keys list --json | jq -r '.[] | select(.lastUsedAt == null) | .id'`,
  ],
  'keys create': [
    'mailwright keys create shop --scope send track --expires 2027-01-01',
    'mailwright keys create website --public',
  ],
  'keys revoke': [`mailwright keys revoke ${ID}`],
  users: ['mailwright users create ada@example.com < password.txt', 'mailwright users trust ada@example.com'],
  'users create': ['mailwright users create ada@example.com < password.txt'],
  'users trust': ['mailwright users trust ada@example.com'],
  'users distrust': ['mailwright users distrust ada@example.com'],
  'users reset-password': ['mailwright users reset-password ada@example.com < password.txt'],
  send: [
    `mailwright send --to ada@example.org --from shop@example.com --subject Report < report.html`,
    `mailwright send --to ada@example.org --template ${ID} --data '{"order":"A-17"}'`,
  ],
  'send campaign': [`mailwright send campaign ${ID}`, `mailwright send campaign ${ID} --no-wait --json`],
  queue: ['mailwright queue stats', 'mailwright queue pause --all'],
  'queue stats': ['mailwright queue stats', 'mailwright queue stats --url https://mail.example.com --json'],
  'queue retry': [`mailwright queue retry ${ID}`, `mailwright queue retry --mail ${ID}`],
  'queue pause': [`mailwright queue pause ${ID}`, 'mailwright queue pause --all'],
  'queue resume': [`mailwright queue resume ${ID}`, 'mailwright queue resume --all'],
  inboxes: ['mailwright inboxes list', `mailwright threads list ${ID}`],
  'inboxes list': ['mailwright inboxes list', `mailwright inboxes list --json | jq -r '.[].address'`],
  'inboxes follow': [`mailwright inboxes follow ${ID}`, `mailwright inboxes follow ${ID} --after 0 --json`],
  threads: [`mailwright threads list ${ID}`, `mailwright threads show ${ID}`],
  'threads list': [`mailwright threads list ${ID} --folder inbox`, `mailwright threads list ${ID} --search invoice`],
  'threads show': [`mailwright threads show ${ID}`],
  'threads answer': [`mailwright threads answer ${ID} < answer.html`, `mailwright threads answer ${ID} --body Thanks`],
  drafts: [`mailwright drafts list ${ID}`],
  'drafts list': [`mailwright drafts list ${ID}`],
  'drafts send': [`mailwright drafts send ${ID}`],
  approvals: ['mailwright approvals list'],
  'approvals list': ['mailwright approvals list', `mailwright approvals list --json | jq -r '.[].id'`],
  'approvals approve': [`mailwright approvals approve ${ID} --as ada@example.com < password.txt`],
  'approvals refuse': [`mailwright approvals refuse ${ID} --as ada@example.com --words 'Say when.' < password.txt`],
  sandbox: ['mailwright sandbox list', 'mailwright sandbox wait --to ada@example.org'],
  'sandbox list': [
    'mailwright sandbox list --to ada@example.org',
    `mailwright sandbox list --json | jq -r '.[].subject'`,
  ],
  'sandbox wait': [
    'mailwright sandbox wait --to ada@example.org',
    `mailwright sandbox wait --to ada@example.org --seconds 60 --json | jq -r .code`,
  ],
  'sandbox show': [`mailwright sandbox show ${ID}`, `mailwright sandbox show ${ID} --json | jq -r .html`],
  'sandbox clear': ['mailwright sandbox clear', `mailwright sandbox clear ${ID}`],
  import: [
    'mailwright import contacts.csv',
    'mailwright import - --url https://mail.example.com --json < contacts.csv',
  ],
  'bring-over': ['mailwright bring-over plunk', 'mailwright bring-over mailchimp audience.zip --dry-run'],
  'bring-over plunk': ['mailwright bring-over plunk --url https://mail.example.com'],
  'bring-over listmonk': [
    'mailwright bring-over listmonk everybody.csv',
    'mailwright bring-over listmonk weekly.csv --segment Weekly',
  ],
  'bring-over mailchimp': [
    'mailwright bring-over mailchimp audience.zip --groups Interests --dry-run',
    'mailwright bring-over mailchimp audience.zip --groups Interests --permission GDPR',
  ],
  'bring-over brevo': ['mailwright bring-over brevo contacts.csv'],
  'bring-over sendy': ['mailwright bring-over sendy bounced.csv --status bounced'],
  'bring-over keila': ['mailwright bring-over keila contacts.csv'],
  'bring-over mailerlite': ['mailwright bring-over mailerlite subscribers.csv --as topics'],
  export: [
    'mailwright export --subscribed true > contacts.csv',
    `mailwright export --filter '{"operator":"AND","conditions":[{"field":"data.plan","operator":"equals","value":"pro"}]}'`,
  ],
  backup: ['mailwright backup /backups/mailwright.backup --force'],
  restore: ['mailwright restore /backups/mailwright.backup --force'],
  copy: ['mailwright copy --from ./data/mailwright.db --to postgres://mailwright:password@127.0.0.1:5432/mailwright'],
  'rebuild-stats': ['mailwright rebuild-stats --check'],
  demo: ['mailwright demo', `mailwright demo --name Trial --contacts 200 --json | jq -r .secretKey`],
  plugin: ['mailwright plugin new transport acme'],
  'plugin new': ['mailwright plugin new transport acme', 'mailwright plugin new hook acme-events'],
  mcp: ['mailwright mcp --url https://mail.example.com --read-only', 'mailwright mcp --only campaigns,contacts'],
}

/** Gives the help of this command and of all below it their examples, at its end. */
export function addExamples(command: Command, words: readonly string[] = []): void {
  const lines = EXAMPLES[words.join(' ')] ?? []
  const title = lines.length > 1 ? 'Examples' : 'Example'
  command.addHelpText(
    'after',
    ['', `${title}:`, ...lines.map((line) => `  $ ${line.replace('mailwright', () => programName())}`)].join('\n'),
  )
  for (const below of command.commands) addExamples(below, [...words, below.name()])
}
