/** A screen of the dashboard. */
export interface Screen {
  readonly name: string
  /** Its address below the project, or of the whole dashboard when it begins with a slash. */
  readonly path: string
  /** The link on that page to the screen itself, and what is open there. */
  readonly click?: { readonly link: string; readonly tab?: string }
  /** Its picture in docs/images, where the documentation shows it. */
  readonly image?: string
  /** The element at the top of the picture, when that is further down on the screen. */
  readonly from?: string
}

const FIRST = 'main tbody a, main a[class*="card"]'
const SECOND = 'main tbody tr:nth-child(2) a'

const first = (path: string, tab?: string) => ({
  path,
  click: { link: FIRST, ...(tab === undefined ? {} : { tab }) },
})

/** The request of a program, as its page shows it before it is answered. */
const ASKED = btoa(JSON.stringify({ name: 'Claude', host: 'claude.ai', rights: ['read', 'draft', 'send'] }))

/** All screens that are worth a look, of a project that has everything. */
export const SCREENS: readonly Screen[] = [
  { name: 'home', path: '', image: 'dashboard-home' },
  { name: 'campaigns', path: 'campaigns' },
  { name: 'campaign-new', path: 'campaigns/new' },
  { name: 'series-list', path: 'campaigns/series' },
  { name: 'series', ...first('campaigns/series'), image: 'dashboard-series' },
  { name: 'series-new', path: 'campaigns/series/new' },
  ...['content', 'sender', 'audience', 'check', 'send'].map((step) => ({
    name: `campaign-${step}`,
    ...first('campaigns?status=DRAFT', `step=${step}`),
  })),
  { name: 'campaign-result', path: 'campaigns', click: { link: SECOND }, image: 'dashboard-campaign' },
  { name: 'campaign-links', path: 'campaigns', click: { link: SECOND, tab: 'tab=links' } },
  {
    ...{ name: 'campaign-left-out', path: 'campaigns', image: 'dashboard-left-out', from: 'main [role="tablist"]' },
    click: { link: SECOND, tab: 'tab=left-out' },
  },
  { name: 'mails', path: 'mails' },
  { name: 'mail', ...first('mails?clicked=true') },
  { name: 'mail-bounced', ...first('mails?bounced=true') },
  { name: 'templates', path: 'templates' },
  { name: 'template-new', path: 'templates/new' },
  { name: 'snippets', path: 'templates/snippets' },
  { name: 'snippet-new', path: 'templates/snippets/new' },
  { name: 'layout-new', path: 'templates/layouts/new' },
  { name: 'template', ...first('templates'), image: 'dashboard-template' },
  { name: 'workflows', path: 'workflows' },
  { name: 'workflow-new', path: 'workflows?new=1' },
  { name: 'workflow', ...first('workflows') },
  { name: 'workflow-runs', ...first('workflows', 'tab=runs') },
  { name: 'workflow-settings', ...first('workflows', 'tab=settings') },
  { name: 'contacts', path: 'contacts' },
  { name: 'contact', ...first('contacts') },
  { name: 'contact-new', path: 'contacts?new=1' },
  { name: 'import', path: 'contacts/import' },
  { name: 'segments', path: 'segments' },
  { name: 'segment', ...first('segments') },
  { name: 'segment-rules', ...first('segments', 'tab=rules') },
  { name: 'segment-new', path: 'segments/new' },
  { name: 'forms', path: 'forms' },
  { name: 'form', ...first('forms', 'tab=edit'), image: 'dashboard-form' },
  { name: 'form-new', path: 'forms/new' },
  { name: 'topics', path: 'topics', image: 'dashboard-topics' },
  ...['suppressions', 'analytics', 'activity', 'deliverability', 'domains', 'webhooks', 'sandbox', 'uploads'].map(
    (name) => ({
      name,
      path: name,
    }),
  ),
  { name: 'domain', ...first('domains') },
  { name: 'webhook-request', ...first('webhooks') },
  { name: 'start', path: 'start' },
  { name: 'account', path: '/account' },
  { name: 'operator', path: '/operator' },
  { name: 'connect', path: `/connect?request=${ASKED}` },
  { name: 'connect-broken', path: '/connect?request=x' },
  { name: 'settings-limits', path: 'settings?tab=limits', image: 'dashboard-limits' },
  ...['project', 'members', 'keys', 'grants', 'fields', 'events', 'audit'].map((tab) => ({
    name: `settings-${tab}`,
    path: `settings?tab=${tab}`,
  })),
]
