import type { EndpointsView } from '@thingwright/contracts/developer.contract'
import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { CopyId } from '../../../ui/copy-id.tsx'
import { Facts, Panel } from '../../../ui/panel.tsx'
import { StatusTag } from '../../../ui/status-tag.tsx'
import { useNow } from '../../../ui/ticker.ts'
import { TimeText } from '../../../ui/time-text.tsx'
import { saveText } from '../components/save-text.ts'
import css from '../developer.module.css'
import access from './access.module.css'

const SOON_MS = 30 * 86_400_000

/** What devices check the server by: fingerprint to compare, file to put into firmware. */
export function Certificates({ certificates }: { certificates: EndpointsView['certificates'] }) {
  const { t } = useTranslation('developer')
  const now = useNow()
  if (certificates.length === 0)
    return (
      <Panel title={t('access.certificates')}>
        <p className={css.quiet}>{t('access.noCertificate')}</p>
      </Panel>
    )
  return certificates.map(certificate => {
    // Without the right to sign, a certificate is not its own authority by the letter; devices must trust it all the same.
    const own = certificate.selfSigned || certificate.subject === certificate.issuer
    const left = Date.parse(certificate.notAfter) - now
    return (
      <Panel
        key={certificate.sha256}
        title={t('access.certificates')}
        hint={t(own ? 'access.selfSigned' : 'access.signed')}
        actions={
          <Button onClick={() => saveText('server.pem', certificate.pem, 'application/x-pem-file')}>
            {t('access.pem')}
          </Button>
        }
      >
        <Facts
          items={[
            { label: t('access.subject'), value: certificate.subject },
            { label: t('access.issuer'), value: certificate.issuer },
            {
              label: t('access.validUntil'),
              value: (
                <span className={access.inline}>
                  <StatusTag kind={left < 0 ? 'error' : left < SOON_MS ? 'warning' : 'success'}>
                    {t(left < 0 ? 'access.expired' : left < SOON_MS ? 'access.expiresSoon' : 'access.valid')}
                  </StatusTag>
                  <TimeText value={certificate.notAfter} mode="absolute" />
                </span>
              ),
            },
            { label: t('access.names'), value: certificate.names.join(', ') || '–', wide: true },
            { label: 'SHA-256', value: <CopyId value={certificate.sha256} />, wide: true },
          ]}
        />
      </Panel>
    )
  })
}
