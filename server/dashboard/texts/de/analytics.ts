import type { analytics as english } from '../en/analytics.ts'
import type { Widened } from '../types.ts'

export const analytics: Widened<typeof english> = {
  title: 'Auswertung',
  byDay: 'Mails pro Tag',
  top: 'Erfolgreichste Kampagnen',
  opens: 'Öffnungen',
  clicks: 'Klicks',
  sent: 'Gesendet',
  campaign: 'Kampagne',
  openRate: 'Geöffnet',
  clickRate: 'Geklickt',
  events: 'Häufigste Ereignisse',
  event: 'Ereignis',
  count: 'Anzahl',
  noCampaigns: 'Noch keine Kampagne gesendet.',
  noEvents: 'Noch keine Ereignisse.',
  days: (n) => `${n} Tage`,
  delivered: 'Zugestellt',
  bounces: 'Unzustellbar',
  complaints: 'Beschwerden',
}
