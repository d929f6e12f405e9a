import { domainToASCII } from 'node:url'
import type { DnsResolver } from '../ports/dns-resolver.ts'
import { LATE, within } from '../values/within.ts'

/** How long the DNS is asked in all: a name has up to a hundred above it, and their name servers may be slow. */
const TIMEOUT_MS = 5_000

/** Who keeps the DNS of a domain: that is where its records are published. */
export interface DnsKeeper {
  /** The name servers; empty when none was found, or the DNS could not be asked. */
  readonly nameServers: readonly string[]
  /** The company whose name servers they are, with its page for DNS records; null when they are not known. */
  readonly provider: { readonly name: string; readonly url: string } | null
}

/** Looks up the name servers of a domain, or of the domain above it whose zone has it, for `ms` at most. */
export async function dnsKeeper(dns: Pick<DnsResolver, 'ns'>, domain: string, ms = TIMEOUT_MS): Promise<DnsKeeper> {
  const until = performance.now() + ms
  const labels = domainToASCII(domain).split('.')
  for (let i = 0; i < labels.length - 1; i++) {
    const asked = dns.ns(labels.slice(i).join('.'))
    const found = await within(until - performance.now(), asked).catch((): typeof LATE => LATE)
    if (found === LATE) break
    if (found.length > 0) return { nameServers: found, provider: providerOf(found) }
  }
  return { nameServers: [], provider: null }
}

/** The provider of these name servers, if they are of one that is known. */
export function providerOf(nameServers: readonly string[]): DnsKeeper['provider'] {
  const names = nameServers.map((server) => server.toLowerCase().replace(/\.$/, ''))
  const known = PROVIDERS.filter(([, , hosts]) => names.some((name) => hosts.test(name)))
  const [first, ...others] = known
  return first === undefined || others.length > 0 ? null : { name: first[0], url: first[1] }
}

/** Companies that keep the DNS of many domains: their name, their page for DNS records, and the ends of their name servers' names. */
const PROVIDERS: readonly (readonly [name: string, url: string, hosts: RegExp])[] = [
  ['Cloudflare', 'https://dash.cloudflare.com/?to=/:account/:zone/dns', /\.ns\.cloudflare\.com$/],
  ['GoDaddy', 'https://dcc.godaddy.com/control/portfolio', /\.domaincontrol\.com$/],
  ['IONOS', 'https://my.ionos.com/domains', /\.ui-dns\.(?:com|de|org|biz)$/],
  [
    'Hetzner',
    'https://dns.hetzner.com',
    /\.ns\.hetzner\.(?:com|de)$|\.(?:your-server\.de|first-ns\.de|second-ns\.(?:com|de))$/,
  ],
  ['Amazon Route 53', 'https://console.aws.amazon.com/route53/v2/hostedzones', /\.awsdns-\d+\.(?:com|net|org|co\.uk)$/],
  ['Google Cloud DNS', 'https://console.cloud.google.com/net-services/dns/zones', /^ns-cloud-.*\.googledomains\.com$/],
  [
    'Squarespace',
    'https://account.squarespace.com/domains',
    /^(?!ns-cloud-).*\.googledomains\.com$|\.squarespace(?:dns)?\.com$/,
  ],
  ['Azure DNS', 'https://portal.azure.com/#browse/Microsoft.Network%2FdnsZones', /\.azure-dns\.(?:com|net|org|info)$/],
  ['OVHcloud', 'https://www.ovh.com/manager/#/web/domain', /\.ovh\.(?:net|ca)$|\.anycast\.me$/],
  ['Gandi', 'https://admin.gandi.net/domain', /\.gandi\.net$/],
  ['Namecheap', 'https://ap.www.namecheap.com/domains/list', /\.registrar-servers\.com$/],
  ['STRATO', 'https://www.strato.de/apps/CustomerService', /\.rzone\.de$|\.strato-hosting\.eu$/],
  ['netcup', 'https://www.customercontrolpanel.de', /\.netcup\.net$/],
  ['INWX', 'https://www.inwx.com/en/nameserver2', /\.inwx\.(?:de|com|eu|net)$/],
  ['ALL-INKL.COM', 'https://kas.all-inkl.com', /\.kasserver\.com$/],
  ['united-domains', 'https://www.united-domains.de/portfolio', /\.udag(?:dns)?\.(?:de|net|org)$/],
  ['one.com', 'https://www.one.com/admin', /\.one\.com$/],
  ['Infomaniak', 'https://manager.infomaniak.com', /\.infomaniak\.(?:ch|com)$/],
  ['Hostpoint', 'https://admin.hostpoint.ch', /\.hostpoint\.ch$/],
  ['World4You', 'https://my.world4you.com', /\.world4you\.(?:at|com)$/],
  ['Wix', 'https://manage.wix.com/account/domains', /\.wixdns\.net$/],
  ['WordPress.com', 'https://wordpress.com/domains/manage', /\.wordpress\.com$/],
  ['Hostinger', 'https://hpanel.hostinger.com/domains', /\.dns-parking\.com$|\.hostinger\.com$/],
  ['Porkbun', 'https://porkbun.com/account/domainsSpeedy', /\.porkbun\.com$/],
  ['Name.com', 'https://www.name.com/account/domain', /\.name\.com$/],
  ['DNSimple', 'https://dnsimple.com/dashboard', /\.dnsimple(?:-edge)?\.(?:com|net|org|io)$/],
  ['DigitalOcean', 'https://cloud.digitalocean.com/networking/domains', /\.digitalocean\.com$/],
  ['Akamai (Linode)', 'https://cloud.linode.com/domains', /\.linode\.com$/],
  ['Vercel', 'https://vercel.com/dashboard/domains', /\.vercel-dns\.com$/],
  ['TransIP', 'https://www.transip.nl/cp/domein-hosting/', /\.transip\.(?:nl|net)$/],
  ['Loopia', 'https://www.loopia.com/loopia-customerzone/', /\.loopia\.se$/],
  ['Simply.com', 'https://www.simply.com/en/controlpanel/', /\.simply\.com$/],
  ['Aruba', 'https://admin.aruba.it', /\.(?:technorail\.com|aruba\.it|arubadns\.(?:net|cz))$/],
  ['home.pl', 'https://panel.home.pl', /\.home\.pl$/],
  ['DreamHost', 'https://panel.dreamhost.com', /\.dreamhost\.com$/],
  ['Bluehost', 'https://www.bluehost.com/my-account/domain-center', /\.bluehost\.com$/],
  ['Alibaba Cloud', 'https://dns.console.aliyun.com', /\.(?:alidns|hichina)\.com$/],
  ['DNSPod', 'https://console.dnspod.cn', /\.dnspod\.(?:net|com|cn)$|\.dnsv\d\.com$/],
  ['deSEC', 'https://desec.io/domains', /\.desec\.(?:io|org)$/],
  ['Hurricane Electric', 'https://dns.he.net', /^ns\d\.he\.net$/],
]
