import type { WebAppView } from '@thingwright/contracts/web-apps.contract'
import { Alert, Button, Input } from 'antd'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Body } from '../../../lib/api-client.ts'
import { notify } from '../../../lib/notify.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { Facts, Panel } from '../../../ui/panel.tsx'
import type { Field } from '../../../ui/schema-form/field.ts'
import { FormAlert } from '../../../ui/schema-form/form-drawer.tsx'
import { useSchemaForm } from '../../../ui/schema-form/use-schema-form.ts'
import { type StatusKind, StatusTag } from '../../../ui/status-tag.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import css from '../apps.module.css'
import { FormPanel } from '../form-panel.tsx'
import { SUFFIX } from './create-drawer.tsx'

const KIND: Record<NonNullable<WebAppView['certificate']>['state'], StatusKind> = {
  valid: 'success',
  expiring: 'warning',
  expired: 'error',
  early: 'error',
  other_host: 'error',
}

/** Where the portal is: its address on every host, a host of its own, and the certificate of that host. */
export function DomainTab({ app, mayWrite }: { app: WebAppView; mayWrite: boolean }) {
  const { t } = useTranslation('apps')
  const update = useAct('webApps.update')
  const check = useAct('webApps.checkHost')
  const fields = useMemo<Field[]>(
    () => [
      {
        kind: 'string',
        key: 'suffix',
        label: t('webApp.suffix'),
        help: t('webApp.suffixHelp', { origin: window.location.origin }),
        required: true,
        maxLength: 32,
        pattern: SUFFIX,
        patternText: t('webApp.suffixRule'),
        mono: true,
      },
      {
        kind: 'string',
        key: 'host',
        label: t('webApp.host'),
        help: t('webApp.hostHelp', { host: window.location.hostname }),
        maxLength: 253,
        mono: true,
        cleared: null,
      },
    ],
    [t],
  )
  const form = useSchemaForm(fields, { suffix: app.suffix, host: app.host ?? undefined })
  const found = check.reply
  return (
    <div className={css.stack}>
      <FormPanel
        title={t('webApp.tab.domain')}
        hint={t('webApp.domainHint')}
        form={form}
        disabled={!mayWrite}
        actions={
          mayWrite &&
          app.host && (
            <Button loading={check.pending} onClick={() => void check.run({ params: { id: app.id } })}>
              {t('webApp.check')}
            </Button>
          )
        }
        onSave={async values => {
          await update.send({
            params: { id: app.id },
            body: { ...values, version: app.version } as Body<'webApps.update'>,
          })
          notify.success(t('saved'))
        }}
      />
      {found && (
        <Alert
          type={found.reached ? 'success' : found.resolves ? 'warning' : 'error'}
          showIcon
          role="status"
          title={t(found.reached ? 'webApp.reached' : found.resolves ? 'webApp.notReached' : 'webApp.notResolved')}
          description={[found.alias && `CNAME ${found.alias}`, found.addresses.join(', '), found.said]
            .filter(Boolean)
            .join(' · ')}
        />
      )}
      <CertificatePanel app={app} mayWrite={mayWrite} />
    </div>
  )
}

function CertificatePanel({ app, mayWrite }: { app: WebAppView; mayWrite: boolean }) {
  const { t } = useTranslation('apps')
  const [certificate, setCertificate] = useState('')
  const [key, setKey] = useState('')
  const [failure, setFailure] = useState<unknown>(null)
  const set = useAct('webApps.setCertificate')
  const remove = useAct('webApps.removeCertificate', { done: () => notify.success(t('removed')) })
  const stored = app.certificate
  const save = async () => {
    setFailure(null)
    try {
      await set.send({ params: { id: app.id }, body: { certificate, key } })
      notify.success(t('webApp.certificateSaved'))
    } catch (error) {
      setFailure(error)
    }
  }
  return (
    <Panel
      title={t('webApp.certificate')}
      hint={t('webApp.certificateHint')}
      actions={
        mayWrite &&
        stored && (
          <Button danger loading={remove.pending} onClick={() => void remove.run({ params: { id: app.id } })}>
            {t('webApp.removeCertificate')}
          </Button>
        )
      }
    >
      {stored && (
        <>
          <Facts
            items={[
              {
                label: t('webApp.certificateState'),
                value: <StatusTag kind={KIND[stored.state]}>{t(`webApp.states.${stored.state}`)}</StatusTag>,
              },
              { label: t('webApp.names'), value: stored.names.join(', ') },
              { label: t('webApp.issuer'), value: stored.selfSigned ? t('webApp.selfSigned') : stored.issuer },
              { label: t('webApp.until'), value: <TimeText value={stored.to} mode="absolute" /> },
            ]}
          />
          {stored.selfSigned && <p className={css.note}>{t('webApp.selfSignedNote')}</p>}
        </>
      )}
      {!app.host ? (
        <p className={css.note}>{t('webApp.hostFirst')}</p>
      ) : (
        mayWrite && (
          <form
            onSubmit={event => {
              event.preventDefault()
              void save()
            }}
          >
            {failure !== null && <FormAlert error={failure} />}
            <label htmlFor="certificate-pem">{t('webApp.certificatePem')}</label>
            <Input.TextArea
              id="certificate-pem"
              className={css.mono ?? ''}
              rows={5}
              maxLength={65_536}
              placeholder="-----BEGIN CERTIFICATE-----"
              value={certificate}
              onChange={event => setCertificate(event.target.value)}
            />
            <label htmlFor="certificate-key">{t('webApp.keyPem')}</label>
            <Input.TextArea
              id="certificate-key"
              className={css.mono ?? ''}
              rows={4}
              maxLength={16_384}
              autoComplete="off"
              placeholder="-----BEGIN PRIVATE KEY-----"
              value={key}
              onChange={event => setKey(event.target.value)}
            />
            <div className={css.foot}>
              <Button
                type="primary"
                htmlType="submit"
                loading={set.pending}
                disabled={certificate.trim() === '' || key.trim() === ''}
              >
                {t(stored ? 'webApp.replaceCertificate' : 'webApp.uploadCertificate')}
              </Button>
            </div>
          </form>
        )
      )}
    </Panel>
  )
}
