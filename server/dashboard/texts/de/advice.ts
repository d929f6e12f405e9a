import { postureAdvice } from './posture-advice.ts'

/** Was die API zu DNS-Einträgen, Test-Mails, Ablehnungen und zum Inhalt von Mails rät, nach ihren Codes. */
export const advice: Readonly<Record<string, string>> = {
  ...postureAdvice,
  not_looked_for: 'Danach wurde noch nicht gesucht: Veröffentlichen Sie den Eintrag, und lassen Sie dann prüfen.',
  no_answer: 'Das DNS hat nicht geantwortet ({reason}). Das sagt nichts über den Eintrag.',
  key_before: 'Der vorige Schlüssel: Sein Eintrag kann nach dem {day} entfernt werden.',
  key_in_use: 'Der Schlüssel, der benutzt wird.',
  key_new: 'Der neue Schlüssel: Er signiert, sobald sein Eintrag gefunden ist.',
  key_unreadable:
    'Der private Schlüssel ist nicht lesbar, darum wird damit keine Mail signiert. Er wurde mit einem anderen secret (SECRET) verschlüsselt: Geben Sie dem Server dieses wieder, oder wechseln Sie den Schlüssel der Domain.',

  spf_missing: 'Es gibt keinen SPF-Eintrag: Veröffentlichen Sie „{value}“.',
  spf_missing_relay:
    'Es gibt keinen SPF-Eintrag: Veröffentlichen Sie „{value}“. Gehen Ihre Mails über das Relay eines Anbieters hinaus, dann veröffentlichen Sie stattdessen, was dieser angibt.',
  spf_is_none: 'Der TXT-Eintrag „{text}“ ist kein SPF-Eintrag: Er muss mit „v=spf1 “ beginnen.',
  spf_several: 'Es gibt {count} SPF-Einträge, und das gilt als Fehler: Machen Sie daraus einen einzigen, „{value}“.',
  spf_lookups:
    'Der SPF-Eintrag braucht {count} Abfragen, und mehr als {limit} gelten als Fehler: Nehmen Sie heraus, was nicht mehr sendet.',
  spf_all: 'Der SPF-Eintrag endet mit +all und erlaubt damit allen zu senden: Schreiben Sie stattdessen ~all.',
  spf_lacks: 'Im SPF-Eintrag fehlt {terms}: Ändern Sie ihn in „{value}“.',
  spf_allows_us: 'Der SPF-Eintrag erlaubt unsere Server ({count} von {limit} Abfragen).',
  spf_right:
    'Der SPF-Eintrag ist für sich richtig; achten Sie darauf, dass er den Server nennt, über den Ihre Mails hinausgehen ({count} von {limit} Abfragen).',
  spf_term: 'Im SPF-Eintrag steht „{term}“. Das versteht niemand, und es gilt als Fehler: Berichtigen Sie es.',
  spf_included_term:
    'Im SPF-Eintrag von {name}, den Ihrer einschließt, steht „{term}“. Das versteht niemand, und es gilt als Fehler: Berichtigen Sie es.',
  spf_included_all: 'Der SPF-Eintrag schließt {name} ein, wo +all allen erlaubt zu senden: Nehmen Sie es heraus.',
  spf_circle: 'Der SPF-Eintrag schließt {name} ein, das wieder ihn einschließt: Nehmen Sie es heraus.',
  spf_included_none:
    'Der SPF-Eintrag schließt {name} ein, wo es keinen gibt. Das gilt als Fehler: Nehmen Sie es heraus.',
  spf_included_none_of_ours:
    'Der SPF-Eintrag schließt {name} ein, wo es keinen gibt. Das gilt als Fehler: Bitten Sie den Betreiber dieses Servers, es zu beheben.',
  spf_included_several:
    'Der SPF-Eintrag schließt {name} ein, wo es {count} davon gibt. Das gilt als Fehler: Nehmen Sie es heraus.',
  spf_included_several_of_ours:
    'Der SPF-Eintrag schließt {name} ein, wo es {count} davon gibt. Das gilt als Fehler: Bitten Sie den Betreiber dieses Servers, es zu beheben.',

  dmarc_missing:
    'Es gibt keine DMARC-Richtlinie: Veröffentlichen Sie „{value}“. Gmail, Yahoo und Microsoft verlangen eine von allen, die viel senden.',
  dmarc_several: 'Unter {name} gibt es {count} DMARC-Einträge, darum zählt keiner davon: Lassen Sie nur einen.',
  dmarc_is_none: 'Der Eintrag „{text}“ zählt nicht: Er muss mit „v=DMARC1;“ beginnen.',
  dmarc_policy_unknown: 'Im DMARC-Eintrag unter {name} steht {tag}: Es muss none, quarantine oder reject sein.',
  dmarc_policy_missing:
    'Der DMARC-Eintrag unter {name} hat weder p= noch rua=, darum zählt er nicht: Fügen Sie p=none hinzu.',
  dmarc_found: 'Der DMARC-Eintrag ist da, mit der Richtlinie {policy}.',
  dmarc_found_above: 'Es gilt der von {domain}, mit der Richtlinie {policy}.',
  dmarc_removed_tags: 'Er enthält {tags}. Das bedeutet nichts mehr (RFC 9989): Nehmen Sie es heraus.',
  dmarc_testing: 'Er enthält t=y: Empfänger wenden die nächstschwächere Richtlinie an.',

  dmarc_reports_elsewhere:
    'Seine Berichte kommen nicht hierher: Fügen Sie rua={rua} hinzu, nach einem Komma, wenn es schon ein rua= gibt.',
  dmarc_agreement_found: 'Der Eintrag, mit dem {host} den Berichten über {domain} zustimmt, ist da.',
  dmarc_agreement_missing:
    'Unter {name} gibt es keinen TXT-Eintrag. Ohne ihn senden Empfänger keine Berichte über {domain} an {host}. Er gehört dorthin, wo {host} verwaltet wird; ein Eintrag unter *._report._dmarc.{host} gilt für alle Domains.',
  tls_reports_found: 'Der Eintrag, der um TLS-Berichte bittet, ist da.',
  tls_reports_elsewhere:
    'Der Eintrag ist da, aber seine Berichte kommen nicht hierher: Fügen Sie im rua= nach einem Komma {rua} hinzu.',
  tls_reports_missing:
    'Es gibt keinen Eintrag, der um TLS-Berichte bittet: Veröffentlichen Sie „{value}“, um zu sehen, ob Mails an die Domain verschlüsselt werden.',
  tls_reports_several:
    'Unter {name} gibt es {count} Einträge für TLS-Berichte, darum zählt keiner davon: Lassen Sie nur einen.',

  reports_none:
    'In dieser Zeit kam kein Bericht über Mails dieser Domain. Empfänger senden einen am Tag an die Adresse, die im DMARC-Eintrag nach rua= steht.',
  reports_few:
    'Für ein Urteil ist es zu früh: Zu {days} von 14 Tagen gibt es Berichte, und sie zählen {messages} von 100 Mails Ihrer eigenen Absender.',
  reports_fix_own:
    'Bei {failed} von {messages} Mails, die dieser Server gesendet hat, schlug DMARC fehl: Prüfen Sie die Einträge dieser Domain, bevor Sie die Richtlinie strenger machen.',
  reports_fix_sender:
    'Bei {failed} von {messages} Mails von {name} schlug DMARC fehl: Richten Sie dort DKIM für {domain} ein, bevor Sie die Richtlinie strenger machen, sonst gehen sie verloren.',
  reports_to_quarantine:
    'Ihre eigenen Mails bestehen DMARC ({passed} %). Sie können die Richtlinie auf p=quarantine ändern: Was nicht besteht, kommt dann in den Spam.',
  reports_to_reject:
    'Ihre eigenen Mails bestehen DMARC ({passed} %). Sie können die Richtlinie auf p=reject ändern: Was nicht besteht, wird dann abgelehnt.',
  reports_at_reject:
    'Ihre eigenen Mails bestehen DMARC ({passed} %), und die Richtlinie ist p=reject: Es ist nichts zu tun.',
  reports_strangers:
    'Von unbekannten Absendern kamen Mails, die DMARC nicht bestehen (Anzahl: {messages}). Wenn keiner davon zu Ihnen gehört, hält p=reject sie von Ihren Lesern fern.',

  cname_found: 'Der CNAME ist da.',
  cname_wrong: 'Der CNAME unter {name} führt zu {found}: Ändern Sie ihn in {host}.',
  cname_beside_others:
    'Unter {name} gibt es andere Einträge: Entfernen Sie sie, denn ein CNAME steht allein, und veröffentlichen Sie den CNAME zu {host}.',
  return_path_missing: 'Unter {name} gibt es keinen CNAME: Veröffentlichen Sie ihn, damit Rückläufer zu uns kommen.',
  return_path_without_spf:
    'Der CNAME ist da, aber {host} hat keinen SPF-Eintrag. Bis der Betreiber dieses Servers einen veröffentlicht, liegt der Rückweg der Mails nicht dort.',
  mx_found: 'Der MX-Eintrag ist da.',
  mx_not_first: 'Der MX-Eintrag ist da, aber Mails gehen zuerst zu {first}.',
  mx_missing: 'Es gibt keinen MX-Eintrag: Veröffentlichen Sie ihn, um Mails an {domain} hier zu empfangen.',
  mx_elsewhere:
    'Mails an {domain} gehen zu {hosts}. Veröffentlichen Sie unseren MX-Eintrag nur, wenn dort niemand ein Postfach hat; sonst empfangen Sie Mails auf einer Subdomain.',
  link_host_same_addresses:
    '{name} hat dieselben Adressen wie {host}; ändern sich diese, dann ändern Sie sie auch hier.',
  link_host_elsewhere:
    '{name} führt zu {found}, nicht zu {host}: Veröffentlichen Sie statt der Adressen den CNAME oder, falls es dort andere Einträge (MX, TXT) gibt, die Adressen von {host} ({addresses}). Bis dahin benutzen Links die öffentliche Adresse des Servers.',
  link_host_elsewhere_without_address:
    '{name} führt zu {found}, nicht zu {host}: Veröffentlichen Sie statt der Adressen den CNAME oder, falls es dort andere Einträge (MX, TXT) gibt, die Adressen von {host} (zurzeit keine). Bis dahin benutzen Links die öffentliche Adresse des Servers.',
  link_host_missing:
    'Unter {name} gibt es keinen CNAME: Veröffentlichen Sie ihn, und lassen Sie den Proxy für den Namen antworten. Bis dahin benutzen Links die öffentliche Adresse des Servers.',

  dkim_no_answer: 'Das DNS hat für {name} nicht geantwortet ({reason}). Das sagt nichts über den Eintrag.',
  dkim_missing:
    'Unter {name} gibt es keinen TXT-Eintrag: Veröffentlichen Sie ihn. Es kann eine Stunde dauern, bis er zu sehen ist.',
  dkim_alias:
    'Unter {name} gibt es einen CNAME zu {alias}, der zu keinem TXT-Eintrag führt: Entfernen Sie ihn, und veröffentlichen Sie den TXT-Eintrag.',
  dkim_name_doubled:
    'Der Eintrag steht unter {found}: Ihr DNS-Anbieter hängt die Domain selbst an. Geben Sie als Namen nur {name} ein.',
  dkim_split:
    'Der Schlüssel ist auf {count} TXT-Einträge unter {name} verteilt: Machen Sie daraus einen Eintrag mit zwei Zeichenketten, "…" "…".',
  dkim_several: 'Unter {name} gibt es {count} TXT-Einträge: Lassen Sie nur den mit diesem Schlüssel.',
  dkim_is_none: 'Im TXT-Eintrag steht „{text}“. Das ist kein DKIM-Schlüssel: Ersetzen Sie ihn.',
  dkim_quotes: 'Im Text des Eintrags stehen Anführungszeichen oder Backslashes: Geben Sie den Wert ohne sie ein.',
  dkim_revoked: 'Der Eintrag hat ein leeres p= und widerruft damit den Schlüssel: Geben Sie den ganzen Wert ein.',
  dkim_cut:
    'Der Schlüssel endet nach {found} von {length} Zeichen: Eine Zeichenkette eines TXT-Eintrags hat höchstens 255. Geben Sie den Wert als zwei Zeichenketten eines Eintrags ein: {value}.',
  dkim_other_key:
    'Im Eintrag steht ein anderer Schlüssel (ab Zeichen {place} dort {found}, bei unserem {wanted}): Ersetzen Sie ihn durch diesen Wert.',
  dkim_version: 'Im Eintrag steht v={found}: Es muss v=DKIM1 sein.',
  dkim_key_type: 'Im Eintrag steht k={found}: Es muss k=rsa sein.',
  dkim_hashes: 'Der Eintrag erlaubt nur andere Hashes: Nehmen Sie h= heraus.',
  dkim_service: 'Der Eintrag ist nicht für E-Mail: Nehmen Sie s= heraus.',
  dkim_found: 'Der Schlüssel ist da.',
  dkim_testing: 'Er enthält t=y (Test): Nehmen Sie das heraus, sonst beachten manche Empfänger die Signatur nicht.',

  ses_no_answer: 'Das DNS hat für {name} nicht geantwortet ({reason}). Das sagt nichts über den Eintrag.',
  ses_cname_found: 'Der CNAME ist da.',
  ses_cname_wrong: 'Der CNAME unter {name} führt zu {found}: Ändern Sie ihn in {value}.',
  ses_cname_missing:
    'Unter {name} gibt es keinen CNAME: Veröffentlichen Sie ihn. Es kann eine Stunde dauern, bis er zu sehen ist.',
  ses_proxy:
    'Unter {name} stehen Adressen statt eines CNAME: Wenn Ihr DNS-Anbieter dafür einen Proxy hat, schalten Sie ihn aus („DNS only“).',
  ses_name_doubled:
    'Der Eintrag steht unter {found}: Ihr DNS-Anbieter hängt die Domain selbst an. Geben Sie als Namen nur {name} ein.',
  ses_owner_found: 'Der Eintrag, der zeigt, wem die Domain gehört, ist da.',
  ses_owner_other: 'Unter {name} gibt es einen TXT-Eintrag, aber keinen mit diesem Wert: Fügen Sie einen hinzu.',
  ses_owner_missing:
    'Unter {name} gibt es keinen TXT-Eintrag: Veröffentlichen Sie ihn, um zu zeigen, dass die Domain Ihnen gehört.',
  ses_unasked: 'Der CNAME ist da, aber Amazon SES konnte nicht danach gefragt werden ({reason}).',
  ses_of_another:
    'Diese Domain wurde hinzugefügt, als ein anderes Plugin Domains nachwies: Entfernen Sie sie, und fügen Sie sie neu hinzu.',
  ses_gone:
    'Der CNAME ist da, aber bei Amazon SES wurde die Domain entfernt: Entfernen Sie sie hier, und fügen Sie sie neu hinzu.',
  ses_other_records:
    'Amazon SES will jetzt andere Einträge: Entfernen Sie die Domain hier, und fügen Sie sie neu hinzu.',
  ses_switched_off: 'Der CNAME ist da, aber bei Amazon SES ist DKIM für die Domain ausgeschaltet.',
  ses_asked_again: 'Der CNAME ist da. Amazon SES hatte aufgehört, danach zu suchen, und wurde erneut gefragt.',
  ses_not_seen:
    'Der CNAME ist da. Amazon SES hat ihn noch nicht gesehen: Meist dauert es Minuten, höchstens drei Tage.',

  test_taken: 'Der Versandweg {transport} hat sie angenommen.',
  test_not_sent_yet: 'Sie wurde noch nicht gesendet.',
  test_waits: 'Sie wartet, bis sie an der Reihe ist.',
  test_tried_again: 'Es wird von selbst wieder versucht.',
  test_suppressed: 'Die Adresse steht auf der Sperrliste: Nehmen Sie sie herunter, oder nennen Sie eine andere.',
  test_see_server: 'Beachten Sie, was der Server gesagt hat.',
  test_arrived: 'Am {time}, von {address}.',
  test_nothing_arrived: 'Es ist nichts angekommen.',
  test_never_handed_over: 'Sie wurde nie übergeben: Siehe die Zeile davor.',
  test_lost:
    'Bei {host} kam in fünf Minuten nichts an. Prüfen Sie, ob der MX-Eintrag zu diesem Server führt, ob Port 25 offen ist, und was das Relay des Versandwegs mit der Mail getan hat.',
  test_elsewhere:
    'Sie kam über ein eigenes Netz, darum lässt es sich hier nicht sagen: Senden Sie einen Test an eine Adresse anderswo, und sehen Sie sich die Kopfzeilen dessen an, was ankommt.',
  test_spf_seen: '{result} für {domain} von {address}',
  test_spf_fails:
    'Lassen Sie den SPF-Eintrag von {domain} die Adresse nennen, von der Mails kommen ({address}), oder das Relay, zu dem sie gehört.',
  test_spf_unaligned:
    'SPF besteht, aber für {path}, das zu einer anderen Organisation gehört als {domain}: DMARC beruht dann allein auf DKIM, und Microsoft will beides. Benutzen Sie einen Rückweg unterhalb von {domain} (feedback.returnPathHost).',
  test_dkim_seen: 'pass für {domains}',
  test_dkim_none:
    'Die Mail ist nicht signiert: Veröffentlichen Sie den Schlüssel von {domain}, und prüfen Sie die Domain.',
  test_dkim_fails:
    'Die Signatur stimmt nicht: Der veröffentlichte Schlüssel ist ein anderer, oder unterwegs wird die Mail verändert (eine Fußzeile, eine neue Kodierung).',
  test_dkim_unaligned: 'Keine der Signaturen ist von {domain}: Signieren Sie mit dem eigenen Schlüssel.',
  test_dmarc_none: 'Es gibt keine DMARC-Richtlinie: Veröffentlichen Sie mindestens v=DMARC1; p=none.',
  test_dmarc_fails: 'Weder SPF noch DKIM besteht für die Domain des Absenders: Siehe die beiden Zeilen davor.',
  test_encrypted: 'Sie kam verschlüsselt an.',
  test_clear_text: 'Sie kam unverschlüsselt an.',
  test_use_tls:
    'Die Mail kam unverschlüsselt: Lassen Sie den letzten Server vor uns STARTTLS benutzen, und geben Sie diesem Server ein Zertifikat (Option tls des Empfangs).',
  test_reverse_unknown: '{address}: Das DNS hat nicht geantwortet.',
  test_reverse_again: 'Testen Sie später noch einmal.',
  test_reverse_none: '{address}: kein Name',
  test_reverse_publish:
    'Lassen Sie einen PTR-Eintrag für {address} setzen: Das tut, wer Ihnen die Adresse gegeben hat.',
  test_reverse_leads_elsewhere:
    'Der Name führt nicht zurück: Geben Sie {name} einen A- oder AAAA-Eintrag mit {address}.',
  test_unsubscribe_none: 'kein List-Unsubscribe',
  test_unsubscribe_missing:
    'Aus Marketing-Mails kann man sich nicht abmelden: Setzen Sie server.publicUrl auf eine https-Adresse.',
  test_unsubscribe_one_click:
    'Die Abmeldung mit einem Klick braucht eine https-Adresse: Setzen Sie server.publicUrl auf eine.',
  test_size: '{octets} Bytes',
  test_too_large: 'Gmail kürzt, was größer ist als 102 KB: Unterwegs wurde die Mail viel größer.',
  test_record_verified: '{type} {name}: vorhanden',
  test_record_pending: '{type} {name}: noch nicht gefunden',
  test_record_failed: '{type} {name}: falsch',

  bounce_rate: '{rate} % der Mails der letzten {days} Tage ({count}) kamen zurück; die Grenze liegt bei {limit} %.',
  complaint_rate:
    '{rate} % der Mails der letzten {days} Tage ({count}) wurden von Empfängern als Spam gemeldet; die Grenze liegt bei {limit} %.',

  refusal_login_refused:
    'Benutzername, Passwort oder Schlüssel des Versandwegs sind falsch oder nicht mehr gültig; sein Betreiber muss sie berichtigen. Die Worte des Mailservers stehen im Log.',
  refusal_tls_failed:
    'Versandweg und Mailserver konnten sich nicht auf TLS einigen, oder dem Zertifikat wird nicht vertraut; was davon, steht im Log, und der Betreiber muss es beheben.',
  refusal_dmarc_gmail:
    'Gmail und andere: Die DMARC-Richtlinie der Absender-Domain verlangt, diese Mail abzulehnen, denn weder SPF noch DKIM passt zu ihr. Signieren Sie mit einem Schlüssel der Absender-Domain.',
  refusal_unauthenticated:
    'Gmail und andere: Die Mail ist weder durch SPF noch durch DKIM für ihre Absender-Domain bestätigt (DMARC). Veröffentlichen Sie die SPF- und DKIM-Einträge der Domain, und senden Sie von ihr.',
  refusal_null_mx_sender:
    'Die Domain des Rückwegs sagt im DNS, dass sie keine Mails annimmt (Null-MX). Geben Sie ihr einen MX-Eintrag, oder senden Sie von einer anderen.',
  refusal_spf_gmail:
    'Gmail: SPF besteht nicht. Der SPF-Eintrag der Domain des Rückwegs nennt den sendenden Server nicht: Fügen Sie ihn hinzu.',
  refusal_reverse_dns:
    'Gmail und andere: Die sendende Adresse hat keinen Namen im DNS (PTR), oder er führt nicht zurück. Setzen Sie einen PTR-Eintrag und für diesen Namen einen A- oder AAAA-Eintrag.',
  refusal_rate_of_unwanted:
    'Gmail: Von dieser Adresse oder Domain kommen ungewöhnlich viele unerwünschte Mails. Senden Sie weniger, nur an Leute, die öffnen, und sehen Sie sich die Spam-Quote in den Postmaster Tools an.',
  refusal_reverse_dns_gmail:
    'Gmail: Die sendende Adresse hat keinen Namen im DNS (PTR), oder er führt nicht zurück. Setzen Sie einen PTR-Eintrag und für diesen Namen einen A- oder AAAA-Eintrag.',
  refusal_spf_microsoft:
    'Microsoft und andere: SPF besteht nicht. Der SPF-Eintrag der Domain des Rückwegs nennt den sendenden Server nicht: Fügen Sie ihn hinzu.',
  refusal_spf_too_wide:
    'Gmail: Der SPF-Eintrag der Absender-Domain erlaubt zu vielen zu senden. Nehmen Sie heraus, was niemand braucht und was mit +all endet.',
  refusal_dmarc_record_missing:
    'Gmail: Die Absender-Domain hat keinen DMARC-Eintrag oder einen ohne Richtlinie. Veröffentlichen Sie mindestens v=DMARC1; p=none.',
  refusal_unencrypted: 'Gmail: Die Verbindung war nicht verschlüsselt. Lassen Sie den Versandweg TLS benutzen.',
  refusal_dkim_bulk:
    'Gmail: DKIM fehlt oder besteht nicht, bei jemandem, der viel sendet. Signieren Sie mit einem Schlüssel der Absender-Domain.',
  refusal_unaligned_gmail:
    'Gmail: Zur Absender-Domain passt weder SPF noch DKIM. Signieren Sie mit einem Schlüssel der Absender-Domain selbst.',
  refusal_microsoft_own_organisation:
    'Microsoft: Die Organisation des Empfängers selbst lehnt diesen Absender oder seine Adresse ab. Nur ihre Administratoren können ihn erlauben.',
  refusal_microsoft_ipv6:
    'Microsoft: Dieser Empfänger nimmt Mails über IPv6 nur begrenzt oder gar nicht an. Senden Sie über IPv4, mit SPF und DKIM, die bestehen.',
  refusal_microsoft_tenant_stopped:
    'Microsoft: Das Konto, über das die Mails hinausgehen, sendet zu viel oder von nicht registrierten Domains und ist gesperrt. Kümmern Sie sich darum im Microsoft-365-Admin-Center.',
  refusal_microsoft_slowed_down:
    'Microsoft: Mails von der sendenden Adresse werden wegen ihres Rufs gebremst. Senden Sie weniger auf einmal.',
  refusal_microsoft_rules:
    'Microsoft: Die Domain erfüllt die Regeln für Absender nicht: SPF, DKIM und DMARC müssen da sein, bestehen und zum Absender passen.',
  refusal_microsoft_banned:
    'Microsoft: Die sendende Adresse steht auf der Liste der gesperrten. Bitten Sie auf sender.office.com um Streichung.',
  refusal_outlook_network_blocked:
    'Microsoft (Outlook.com): Mails aus dem sendenden Netz sind wegen seines Rufs gesperrt. Bitten Sie auf olcsupport.office.com um Abhilfe, und melden Sie sich bei SNDS an.',
  refusal_outlook_blocked:
    'Microsoft (Outlook.com): Die sendende Adresse ist wegen ihres Rufs gesperrt. Bitten Sie auf olcsupport.office.com um Abhilfe.',
  refusal_yahoo_put_off:
    'Yahoo: Mails werden wegen Beschwerden oder ungewöhnlicher Menge aufgeschoben. Senden Sie langsamer, entfernen Sie, wer nicht öffnet, und melden Sie die DKIM-Domain bei der Beschwerdestelle (Feedback Loop) an.',
  refusal_yahoo_blocked:
    'Yahoo: Die sendende Adresse ist wegen Beschwerden gesperrt. Senden Sie einige Stunden nichts an Yahoo, und räumen Sie die Liste auf.',
  refusal_yahoo_blocklist:
    'Yahoo: Die sendende Adresse steht auf einer Sperrliste, die Yahoo benutzt (Spamhaus). Lassen Sie sie dort entfernen.',
  refusal_yahoo_unauthenticated:
    'Yahoo: Die Mail ist weder durch SPF noch durch DKIM bestätigt. Veröffentlichen Sie die SPF- und DKIM-Einträge der Absender-Domain, und senden Sie von ihr.',
  refusal_yahoo_content:
    'Yahoo: Die Mail oder ein Link darin sieht nach Spam oder Phishing aus. Prüfen Sie den Inhalt und die Domains, zu denen er führt.',
  refusal_sender_domain_unknown:
    'Die Domain des Rückwegs oder des Absenders ist im DNS nicht zu finden: Sie muss bestehen und einen MX- oder A-Eintrag haben.',
  refusal_gmail_reputation:
    'Gmail: Die sendende Adresse oder Domain hat einen sehr schlechten Ruf. Senden Sie weniger, nur an Leute, die öffnen, und sehen Sie in die Postmaster Tools.',
  refusal_gmail_malformed:
    'Gmail: Die Nachricht verletzt RFC 5322; eine Kopfzeile fehlt, steht doppelt da oder ist fehlerhaft. Prüfen Sie die Kopfzeilen, die der Absender hinzufügt.',
  refusal_spamhaus:
    'Die sendende Adresse steht auf einer Liste von Spamhaus. Sehen Sie auf check.spamhaus.org nach, und folgen Sie dem, was dort steht.',
  refusal_barracuda:
    'Die sendende Adresse steht auf der Liste von Barracuda. Bitten Sie auf barracudacentral.org um Streichung.',
  refusal_spamcop:
    'Die sendende Adresse steht auf der Liste von SpamCop; sie verschwindet von selbst, wenn kein Spam mehr gemeldet wird.',
  refusal_orange:
    'Orange: Die sendende Adresse ist wegen ihres Rufs begrenzt oder gesperrt. Senden Sie langsamer und über weniger Verbindungen.',
  refusal_spam:
    'Der empfangende Server hält die Mail für Spam. Prüfen Sie den Inhalt, die Links darin und den Ruf von Domain und Adresse.',
  refusal_dmarc:
    'Die DMARC-Richtlinie der Absender-Domain verlangt, diese Mail abzulehnen: Weder SPF noch DKIM passt zu ihr. Signieren Sie mit einem Schlüssel der Absender-Domain.',
  refusal_greylisted:
    'Der empfangende Server kennt diesen Absender noch nicht und will die Mail später noch einmal (Greylisting).',
  refusal_relay_denied:
    'Der Server nimmt Mails für diese Domain von hier nicht an: Der Versandweg muss sich anmelden, oder die MX-Einträge der Domain nennen einen falschen Server.',
  refusal_ses_sandbox:
    'Amazon SES: Der Absender ist dort nicht bestätigt, oder das Konto ist in der Sandbox, in der auch jeder Empfänger bestätigt sein muss. Bestätigen Sie die Absender-Domain, und bitten Sie Amazon um Freischaltung.',
  refusal_microsoft_365_unknown:
    'Microsoft 365: In der Organisation des Empfängers gibt es diese Adresse nicht. Sie bekommt keine Mails mehr.',
  refusal_qq_rate:
    'QQ und andere: Von der sendenden Adresse oder Domain kommen mehr Mails, als sie annehmen. Senden Sie langsamer.',
  refusal_mailbox_full:
    'Das Postfach des Empfängers ist voll. Vielleicht ist bald wieder Platz: Gesperrt wird dafür niemand, außer es kommt immer wieder vor.',
  refusal_mailbox_unknown: 'Dieses Postfach gibt es nicht. Die Adresse bekommt keine Mails mehr.',
  refusal_domain_unknown:
    'Die Domain des Empfängers gibt es nicht, oder sie nimmt keine Mails an: Vielleicht ist sie falsch geschrieben.',
  refusal_null_mx: 'Die Domain des Empfängers sagt, dass sie überhaupt keine Mails annimmt.',
  refusal_recipient_rate: 'Der Empfänger bekommt zurzeit mehr Mails, als sein Anbieter hereinlässt.',
  refusal_mailbox_disabled: 'Das Postfach ist abgeschaltet.',
  refusal_too_large:
    'Die Mail ist größer, als der empfangende Server erlaubt. Verlinken Sie Dateien, statt sie anzuhängen.',
  refusal_unreachable: 'Der empfangende Server war nicht zu erreichen.',
  refusal_dns: 'Das DNS sagt im Moment nicht, welche Server Mails für die Domain des Empfängers annehmen.',
  refusal_insecure:
    'Kein Server, der Mails für die Domain des Empfängers annimmt, bietet eine so sichere Verbindung, wie verlangt wird. Das kann nur in Ordnung bringen, wer diese Domain betreibt.',
  refusal_address_unknown: 'Diese Adresse gibt es nicht. Sie bekommt keine Mails mehr.',
  refusal_unproven:
    'Der Bericht nennt die Mail nur mit ihrer Message-ID, die in jeder Antwort auf sie steht. Ein echter kommt an den eigenen Rückweg der Mail oder von einem Absender, der DMARC besteht. Er steht hier als Notiz und hat nichts geändert.',
  refusal_tried_again: 'Es wird von selbst wieder versucht.',

  size_clipped: 'Das HTML hat {kb} KB, und Gmail schneidet alles über 102 KB ab: Kürzen Sie die Mail.',
  size_near_clipping: 'Das HTML hat {kb} KB, und Gmail schneidet alles über 102 KB ab: Es ist kaum noch Platz.',
  subject_empty: 'Der Betreff ist leer, sobald er ausgefüllt ist: Schreiben Sie einen.',
  subject_long:
    'Der Betreff hat {count} Zeichen, und Telefone zeigen etwa {limit}: Sagen Sie das Wichtigste am Anfang.',
  subject_capitals:
    'Der Betreff steht in Großbuchstaben. Spamfilter und Leser mögen das nicht: Schreiben Sie ihn wie üblich.',
  preheader_missing:
    'Die Vorschauzeile fehlt, darum zeigen Postfächer nach dem Betreff den Anfang der Mail: Schreiben Sie eine.',
  spam_words: 'Spamfilter achten auf einige dieser Wörter: {words}. Vielleicht sagen andere dasselbe.',
  text_empty: 'Der Textteil ist leer, weil die Mail keine Wörter hat: Schreiben Sie welche zu den Bildern.',
  text_only_pictures:
    'Die Mail enthält neben ihren Bildern kaum Text: Spamfilter misstrauen dem, und wer keine Bilder sieht, bekommt nichts.',
  unsubscribe_missing:
    'Niemand könnte sich abmelden: Die Mail zeigt keinen Link dafür. Damit dieser Server einen einfügen kann, braucht er seine öffentliche Adresse (publicUrl).',
  unsubscribe_missing_in_text: 'Im Textteil steht kein Weg, sich abzumelden: Ergänzen Sie einen.',
  unsubscribe_added:
    'Die Mail selbst enthält keinen Abmeldelink: Am Ende wird einer eingefügt. Mit der Variable unsubscribeUrl steht er, wo Sie ihn haben möchten.',
  postal_missing:
    'Die Postanschrift des Projekts fehlt in der Mail, und das Recht vieler Länder verlangt sie: Ergänzen Sie sie.',
  postal_unset:
    'Das Projekt hat keine Postanschrift, und das Recht vieler Länder verlangt sie in jeder Mail: Tragen Sie sie in den Einstellungen des Projekts ein.',
  image_without_alt:
    'Bild {number} ({address}) hat keine Beschreibung. Wer keine Bilder sieht, bekommt nichts: Ergänzen Sie eine (alt).',
  image_without_address: 'Bild {number} hat keine Adresse: Wählen Sie ein Bild, oder entfernen Sie es.',
  image_relative:
    'Bild {number} liegt unter „{address}“, was nur eine Webseite ergänzen könnte: Schreiben Sie die ganze Adresse, mit https://.',
  image_by_http:
    'Bild {number} ({address}) kommt über http, und viele Mailprogramme zeigen das nicht: Nehmen Sie https.',
  image_inline_data:
    'Bild {number} steht als Daten im HTML, und Gmail und Outlook zeigen das nicht: Laden Sie es hoch, und nehmen Sie seine Adresse.',
  image_gone: 'Bild {number} ({address}) gehört nicht mehr zu den Bildern des Projekts: Laden Sie es neu hoch.',
  image_large:
    'Bild {number} ({address}) hat {mb} MB, und Telefone laden das langsam: Machen Sie es kleiner als {limit} MB.',
  images_large: 'Die Bilder haben zusammen {mb} MB, und Telefone laden das langsam: Bleiben Sie unter {limit} MB.',
  image_broken: 'Bild {number} ({address}) ist nicht da: Sein Server antwortet {status}.',
  image_unreachable: 'Bild {number} ({address}) lässt sich nicht laden: {reason}.',
  link_empty: 'Link {number} („{text}“) führt nirgendwohin: Geben Sie ihm eine Adresse.',
  link_relative:
    'Link {number} („{text}“) führt zu „{address}“, was nur eine Webseite ergänzen könnte: Schreiben Sie die ganze Adresse, mit https://.',
  link_invalid: 'Link {number} („{text}“) führt zu „{address}“. Das ist keine Adresse: Berichtigen Sie sie.',
  project_test: 'Das Projekt ist für Tests: Das Testpostfach fängt die E-Mail auf, und sie erreicht niemanden.',
  project_members:
    'Das Projekt schreibt nur seinen Mitgliedern und erlaubten Empfängern: E-Mails an andere fängt das Testpostfach auf.',
  server_folder:
    'Auf diesem Server ist kein Mailserver zum Versenden eingerichtet: Die E-Mail wird in einen Ordner geschrieben und erreicht niemanden.',
  server_address:
    'Links in der E-Mail beginnen mit {address}, was sich nur auf diesem Rechner öffnen lässt: Legen Sie die öffentliche Adresse des Servers fest.',
  link_local:
    'Link {number} („{text}“) führt zu {address}, was sonst niemand öffnen kann: Nehmen Sie eine öffentliche Adresse.',
  link_odd_scheme:
    'Link {number} („{text}“) beginnt mit „{scheme}:“, und Mailprogramme öffnen das nicht: Nehmen Sie eine Webadresse.',
  link_broken: 'Link {number} ({address}) ist kaputt: Sein Server antwortet {status}.',
  link_failing:
    'Link {number} ({address}) geht gerade nicht: Sein Server antwortet {status}. Prüfen Sie ihn später noch einmal.',
  link_unreachable: 'Link {number} ({address}) lässt sich nicht öffnen: {reason}.',
  link_redirects: 'Link {number} ({address}) leitet mehr als {limit}-mal weiter: Verlinken Sie die Seite am Ende.',
  address_forbidden:
    'Die Adresse {address} wurde nicht geprüft: Sie führt in ein privates Netz oder lässt sich gar nicht abfragen. Sehen Sie nach, ob Ihre Leser sie öffnen können.',
  link_unchecked:
    'Link {number} ({address}) ließ sich nicht prüfen: Sein Server antwortet Programmen {status}. Öffnen Sie ihn einmal selbst.',
  links_over_limit:
    'Die Adressen der Links wurden nicht geprüft: Ein Projekt kann das {limit}-mal in der Minute. Prüfen Sie in einer Minute noch einmal.',
  links_cannot_be_asked: 'Die Adressen der Links wurden nicht geprüft: Dieser Server kann das gerade nicht.',
  links_left_out: '{count} weitere Adressen von Links und Bildern wurden nicht geprüft: Höchstens {limit} werden es.',
  links_out_of_time: '{count} Adressen von Links und Bildern wurden nicht geprüft: Andere brauchten zu lange.',
  variable_unknown:
    'Kein Kontakt hat „{name}“, die Stelle bleibt also bei allen leer: Berichtigen Sie den Namen, oder legen Sie einen Ersatzwert fest.',
  variable_of_request:
    'Kein Kontakt hat „{name}“, die Stelle bleibt also leer, außer die Anfrage bringt den Wert mit: Legen Sie einen Ersatzwert fest.',
  variable_lacking:
    'Bei {count} von {total} Kontakten fehlt „{name}“, und die Stelle bleibt leer: Legen Sie einen Ersatzwert fest.',
  variable_similar:
    'Bei {count} von {total} Kontakten fehlt „{name}“: Die Stelle bleibt leer oder bekommt ihren Ersatzwert. Ähnlich heißt bei Ihren Kontakten: {similar}. Schreiben Sie diesen Namen, wenn er gemeint ist.',
  variable_default:
    'Bei {count} von {total} Kontakten fehlt „{name}“: Sie bekommen den Ersatzwert oder die Mail ohne den Teil, der danach fragt.',
  filter_unable:
    'Der Filter {filter} kann mit „{value}“ nichts anfangen, der Wert bleibt unverändert: Prüfen Sie den Wert und die Angaben hinter dem Filter.',
  zone_unknown:
    'Eine Zeitzone „{value}“ gibt es nicht, die Zeit steht daher in UTC: Schreiben Sie einen Namen wie Europe/Berlin.',
  feature_unsupported:
    '„{feature}“ fehlt in diesen Mailprogrammen: {clients}. Achten Sie darauf, dass die Mail auch ohne lesbar ist.',
  style_large: 'Die Stilregeln haben {kb} KB, und Gmail übergeht solche von mehr als {limit} KB: Kürzen Sie sie.',
  more_alike: '{count} weitere wie der letzte.',
}
