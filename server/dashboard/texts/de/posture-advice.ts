/** Was die API zu MTA-STS, Logos (BIMI) und Sperrlisten rät, nach ihren Codes. */
export const postureAdvice: Readonly<Record<string, string>> = {
  sts_host_missing:
    'Unter {name} gibt es keinen CNAME: Veröffentlichen Sie ihn, und lassen Sie den Proxy mit einem Zertifikat für den Namen antworten. Bis dahin kann niemand die Richtlinie lesen.',
  sts_host_same_addresses:
    '{name} hat dieselben Adressen wie {host}; ändern sich diese, dann ändern Sie sie auch hier.',
  sts_host_elsewhere: '{name} führt zu {found}, nicht zu {host}: Veröffentlichen Sie statt der Adressen den CNAME.',
  sts_found: 'Der Eintrag der MTA-STS-Richtlinie ist da, mit dem Modus {mode}.',
  sts_missing:
    'Es gibt keinen Eintrag der MTA-STS-Richtlinie: Veröffentlichen Sie „{value}“, sobald die Richtlinie zu lesen ist.',
  sts_several:
    'Unter {name} gibt es {count} Einträge einer MTA-STS-Richtlinie, darum zählt keiner davon: Lassen Sie nur einen.',
  sts_other_id:
    'Der Eintrag gehört zu einer früheren Richtlinie, an die Absender sich weiter halten: Ändern Sie ihn in „{value}“.',
  sts_mx_left_out:
    'Die MTA-STS-Richtlinie nennt {hosts} nicht: Ist sie in Kraft, übergeben Absender dort keine Mails. Speichern Sie sie mit diesen Servern noch einmal.',
  sts_none:
    'Hier gibt es keine MTA-STS-Richtlinie. Beginnen Sie mit der Probe (testing): Dann sagen Berichte, ob Server sich mit einem gültigen Zertifikat verbinden konnten, und keine Mail wird aufgehalten.',
  sts_off: 'Die MTA-STS-Richtlinie ist zurückgenommen (Modus none).',
  sts_not_in_place: 'Die MTA-STS-Richtlinie zählt, sobald ihre Einträge gefunden sind.',
  sts_wait:
    'Bleiben Sie noch bei der Probe: Zu {days} von 7 Tagen gibt es TLS-Berichte zu dieser Richtlinie, und sie zählen {sessions} von 20 Verbindungen.',
  sts_fix_first:
    '{failed} Verbindungen der letzten 14 Tage sind gescheitert: Bringen Sie die Zertifikate von {hosts} in Ordnung, bevor Sie die Richtlinie in Kraft setzen, sonst kommen Mails nicht an.',
  sts_to_enforce:
    'Alle {sessions} Verbindungen der letzten 14 Tage hatten ein gültiges Zertifikat: Die Richtlinie kann in Kraft treten.',
  sts_failing:
    '{failed} Verbindungen der letzten 14 Tage sind gescheitert, und ihre Mails wurden aufgehalten: Gehen Sie zurück zur Probe, und bringen Sie die Zertifikate von {hosts} in Ordnung.',
  sts_at_enforce:
    'Die Richtlinie ist in Kraft, und in den letzten 14 Tagen ist keine Verbindung gescheitert: Es ist nichts zu tun.',
  bimi_missing:
    'Es gibt keinen BIMI-Eintrag: Veröffentlichen Sie unter {name} als TXT „v=BIMI1; l=https://{domain}/logo.svg; a=;“ mit der Adresse Ihres Logos.',
  bimi_several: 'Unter {name} gibt es {count} BIMI-Einträge, darum zählt keiner davon: Lassen Sie nur einen.',
  bimi_no_answer: 'Das DNS hat nicht geantwortet ({reason}). Das sagt nichts über das Logo.',
  bimi_declined: 'Laut BIMI-Eintrag zeigt diese Domain kein Logo: Nennen Sie eines bei l=, um das zu ändern.',
  bimi_not_https: 'Die Adresse des Logos muss mit https:// beginnen, und im BIMI-Eintrag steht {url}.',
  bimi_dmarc_missing: 'Ein Logo wird nur bei der DMARC-Richtlinie quarantine oder reject gezeigt, und es gibt keine.',
  bimi_dmarc_weak:
    'Ein Logo wird nur bei der DMARC-Richtlinie quarantine oder reject gezeigt, und die von {domain} ist {policy}: Die Berichte sagen, wann sie strenger werden kann.',
  bimi_dmarc_part:
    'Ein Logo wird nur gezeigt, wenn die DMARC-Richtlinie von {domain} für alle Mails gilt: Nehmen Sie {tag} aus dem Eintrag.',
  bimi_forbidden: 'Das Logo unter {url} wird nicht angesehen: Die Adresse führt in ein privates Netz.',
  bimi_unreachable: 'Das Logo unter {url} war nicht zu bekommen: {reason}.',
  bimi_status: 'Das Logo unter {url} war nicht zu bekommen: Der Server antwortet mit dem Status {status}.',
  bimi_moved: 'Die Adresse des Logos, {url}, führt weiter zu {to}: Nennen Sie diese im Eintrag.',
  bimi_large: 'Das Logo unter {url} ist größer als 32 KB: Vereinfachen Sie es.',
  bimi_svg_none: 'Das Logo ist kein SVG: Es muss ein Bild im Format SVG Tiny PS sein.',
  bimi_svg_profile: 'Das Logo ist kein SVG Tiny PS: Sein <svg> braucht version="1.2" und baseProfile="tiny-ps".',
  bimi_svg_place: 'Das Logo ist kein SVG Tiny PS: Sein <svg> darf weder x noch y haben.',
  bimi_svg_title: 'Das Logo ist kein SVG Tiny PS: Seinem <svg> fehlt ein <title> mit dem Namen der Firma.',
  bimi_svg_left_out: 'Das Logo ist kein SVG Tiny PS: Es enthält {name}, und das ist dort nicht erlaubt.',
  bimi_svg_link: 'Das Logo ist kein SVG Tiny PS: Es führt zu {url} und darf nichts nachladen.',
  bimi_svg_square:
    'Das Logo muss quadratisch sein: Geben Sie seinem <svg> eine viewBox, deren Breite gleich der Höhe ist.',
  bimi_not_https_certificate:
    'Die Adresse des Zertifikats (a=) muss mit https:// beginnen, und im Eintrag steht {url}.',
  bimi_without_certificate:
    'Eintrag und Logo sind richtig. Gmail und Apple Mail zeigen das Logo nur mit einem Zertifikat (VMC oder CMC), dessen Adresse bei a= steht.',
  bimi_certificate_forbidden:
    'Das Zertifikat unter {url} wird nicht angesehen: Die Adresse führt in ein privates Netz.',
  bimi_certificate_unreachable: 'Das Zertifikat unter {url} war nicht abzurufen: {reason}.',
  bimi_certificate_status: 'Das Zertifikat unter {url} war nicht abzurufen: Der Server antwortet mit Status {status}.',
  bimi_certificate_moved: 'Die Adresse des Zertifikats, {url}, führt weiter zu {to}: Nennen Sie diese im Eintrag.',
  bimi_certificate_large: 'Die Datei unter {url} ist größer als 128 KB. So groß ist kein Zertifikat.',
  bimi_certificate_none:
    'In der Datei aus a= steht kein Zertifikat: Es muss mit „-----BEGIN CERTIFICATE-----“ beginnen (PEM).',
  bimi_certificate_many:
    'In der Datei aus a= stehen {count} Zertifikate: Es sollen nur Ihres und die der Aussteller darüber sein.',
  bimi_certificate_broken:
    'Das Zertifikat Nummer {number} in der Datei aus a= ist beschädigt: Veröffentlichen Sie die Datei so, wie der Aussteller sie gab.',
  bimi_certificate_expired: 'Das Zertifikat ist am {day} abgelaufen: Veröffentlichen Sie das erneuerte.',
  bimi_certificate_early: 'Das Zertifikat gilt erst ab dem {day}.',
  bimi_certificate_names:
    'Das Zertifikat gilt für {names}, nicht für {domain}: Der Aussteller muss eines für diese Domain machen.',
  bimi_certificate_nameless: 'Das Zertifikat nennt keine Domain: Der Aussteller muss eines für {domain} machen.',
  bimi_certificate_use:
    'Das Zertifikat ist nicht für ein Logo gemacht, sondern für etwas anderes: Es muss ein VMC oder CMC sein.',
  bimi_certificate_logo: 'Das Zertifikat enthält kein Logo: Es muss ein VMC oder CMC sein.',
  bimi_certificate_alone:
    'In der Datei aus a= steht nur Ihr Zertifikat: Hängen Sie das des Ausstellers an, der es unterschrieben hat.',
  bimi_certificate_chain:
    'Die Zertifikate in der Datei aus a= gehören nicht zueinander: Zuerst kommt Ihres, dann das, mit dem es unterschrieben ist, und so weiter.',
  bimi_certificate_issuer_expired:
    'Das Zertifikat des Ausstellers über Ihrem ist am {day} abgelaufen: Veröffentlichen Sie die Datei, die der Aussteller jetzt gibt.',
  bimi_right:
    'Eintrag, Logo, DMARC-Richtlinie und Zertifikat sind in Ordnung. Ob sie dem Aussteller des Zertifikats trauen, entscheiden die Empfänger.',
  dnsbl_clear: 'Auf {zone} steht sie nicht.',
  dnsbl_listed:
    'Sie steht auf {zone} ({codes}): Lesen Sie den Grund, beheben Sie die Ursache, und beantragen Sie dort dann die Austragung.',
  dnsbl_sbl:
    'Sie steht auf {zone} als Quelle von Spam (SBL): Beheben Sie die Ursache, dann muss der Inhaber des Netzes Spamhaus darum bitten.',
  dnsbl_css:
    'Sie steht auf {zone} wegen Mails, die wie Spam aussehen (CSS): Bringen Sie Listen und Anmeldungen in Ordnung; der Eintrag endet von selbst oder auf Antrag.',
  dnsbl_xbl:
    'Sie steht auf {zone} als gekaperter Rechner (XBL): Suchen Sie das Programm, das sendet, und beantragen Sie dann die Austragung.',
  dnsbl_pbl:
    'Sie steht auf {zone} als Adresse, die nicht selbst Mails senden soll (PBL): Senden Sie über ein Relay, oder lassen Sie sie als Mailserver austragen.',
  dnsbl_drop: 'Auf {zone} steht ihr ganzes Netz als eines von Kriminellen (DROP): Senden Sie aus einem anderen Netz.',
  dnsbl_refused_resolver:
    '{zone} antwortet diesem Resolver nicht, und das sagt nichts über die Adresse: Große öffentliche Resolver werden abgewiesen. Benutzen Sie einen eigenen.',
  dnsbl_refused_often:
    '{zone} antwortet diesem Resolver nicht, und das sagt nichts über die Adresse: Er fragte zu oft. Benutzen Sie einen eigenen, oder den bezahlten Dienst der Liste.',
  dnsbl_refused_name: '{zone} ist dort kein Name einer Liste: Berichtigen Sie domains.blocklists.',
  dnsbl_silent:
    '{zone} antwortet nicht auf den eigenen Testeintrag, darum sagt das Schweigen nichts: Vielleicht gibt es die Liste nicht mehr, oder sie weist diesen Resolver ab.',
  dnsbl_no_ipv6: '{zone} antwortet nicht auf den Testeintrag für IPv6, darum sagt das Schweigen nichts.',
  dnsbl_odd:
    '{zone} antwortete {answer}, und das ist kein Eintrag: Vielleicht beantwortet der Resolver jeden Namen, oder die Liste gibt es nicht mehr.',
  dnsbl_no_answer: '{zone} war nicht zu fragen ({reason}). Das sagt nichts über die Adresse.',
}
