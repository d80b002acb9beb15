import { Alert, Button, Modal } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useAct } from '../../lib/server-state/use-act.ts'
import { CopyButton } from '../../ui/copy-id.tsx'
import { Panel } from '../../ui/panel.tsx'
import { PermissionGate } from '../../ui/permission-gate.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import css from './lora.module.css'

/** A certificate for the gateway's connection to ChirpStack's broker, made there and shown once. */
export function GatewayCertificate({ id }: { id: string }) {
  const { t } = useTranslation('lora')
  const [asking, setAsking] = useState(false)
  const [shown, setShown] = useState(false)
  const make = useAct('loraGateways.makeCertificate', {
    touches: [],
    done: () => {
      setAsking(false)
      setShown(true)
    },
  })
  const made = make.reply
  return (
    <PermissionGate of="loraGateways.makeCertificate">
      <Panel
        title={t('certificate.title')}
        hint={t('certificate.lead')}
        actions={<Button onClick={() => setAsking(true)}>{t('certificate.make')}</Button>}
      >
        {shown && made ? (
          <div className={css.stack}>
            <Alert type="warning" showIcon title={t('certificate.once')} />
            {made.expiresAt && (
              <p className={css.quiet}>
                {t('certificate.expires')} <TimeText value={made.expiresAt} />
              </p>
            )}
            {(['ca', 'cert', 'key'] as const).map(part => {
              const text = { ca: made.caCert, cert: made.tlsCert, key: made.tlsKey }[part]
              const name = t(`certificate.${part}`)
              return (
                <section key={part} aria-label={name}>
                  <header className={css.row}>
                    <strong>{name}</strong>
                    <CopyButton value={text} label={`${t('certificate.copy')} ${name}`} />
                  </header>
                  <pre className={css.pem}>{text}</pre>
                </section>
              )
            })}
            <div className={css.row}>
              <Button onClick={() => setShown(false)}>{t('certificate.close')}</Button>
            </div>
          </div>
        ) : (
          <p className={css.quiet}>{t('certificate.lead')}</p>
        )}
        <Modal
          open={asking}
          width={420}
          title={t('certificate.confirm')}
          okText={t('certificate.make')}
          cancelText={t('cancel')}
          okButtonProps={{ loading: make.pending }}
          onOk={() => void make.run({ params: { id } })}
          onCancel={() => setAsking(false)}
        >
          <p>{t('certificate.confirmText')}</p>
        </Modal>
      </Panel>
    </PermissionGate>
  )
}
